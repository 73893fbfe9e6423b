// Package check holds deploy/ against the libraries of those who read it: Compose,
// Kubernetes and Prometheus. No engine is needed.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestCompose: the model of Compose takes the file, with its schema, and each file that it
// mounts exists.
func TestCompose(t *testing.T) {
	o, err := cli.NewProjectOptions([]string{filepath.Join("..", "compose", "compose.yaml")})
	must(t, err)
	p, err := o.LoadProject(context.Background())
	must(t, err)
	if len(p.Services) < 4 {
		t.Fatalf("only %d services", len(p.Services))
	}
	for name, s := range p.Services {
		if s.Image == "" || strings.HasSuffix(s.Image, ":latest") || !strings.Contains(s.Image, ":") {
			t.Errorf("%s: image %q is not pinned", name, s.Image)
		}
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); v.Type == "bind" && err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
	}
	a := p.Services["anond"]
	if !a.ReadOnly || len(a.CapDrop) != 1 || a.CapDrop[0] != "ALL" || a.User == "" {
		t.Error("anond is not confined")
	}
	if _, err := os.Stat(filepath.Join("..", "docker", filepath.Base(a.Build.Dockerfile))); err != nil {
		t.Error(err)
	}
	// The image of Kafka with variables has the defaults of Kafka, not those of its own file.
	kafka := p.Services["kafka"]
	where := kafka.Environment["KAFKA_LOG_DIRS"]
	if where == nil || len(kafka.Volumes) != 1 || kafka.Volumes[0].Target != *where {
		t.Error("the records of Kafka are not in its volume")
	}
}

// TestKubernetes: each manifest is decoded strictly, so a field that Kubernetes does not
// know is a fault, and what belongs together has the same names.
func TestKubernetes(t *testing.T) {
	var set appsv1.StatefulSet
	var service corev1.Service
	decoded(t, "dataset/manifests.yaml", map[string]any{"ServiceAccount": &corev1.ServiceAccount{}, "Service": &service, "StatefulSet": &set,
		"NetworkPolicy": &networkingv1.NetworkPolicy{}})
	checkSet(t, &set, &service)
	if *set.Spec.Replicas != 1 {
		t.Error("one state has one publisher")
	}
}

// TestKustomize: what a kustomization names is there, and the manifests name what it makes. kubectl, where it is installed,
// makes of it what Kubernetes takes.
func TestKustomize(t *testing.T) {
	for _, name := range []string{"dataset", "shards"} {
		dir := filepath.Join("..", "kubernetes", name)
		var k struct {
			APIVersion, Kind, Namespace string
			Resources                   []string
			ConfigMapGenerator          []struct {
				Name  string
				Files []string
			}
			Images []struct{ Name, NewName, NewTag string }
		}
		must(t, yaml.UnmarshalStrict(content(t, filepath.Join(dir, "kustomization.yaml")), &k))
		if k.APIVersion != "kustomize.config.k8s.io/v1beta1" || k.Kind != "Kustomization" || k.Namespace == "" {
			t.Errorf("%s is no kustomization: %v", name, k)
		}
		manifests := ""
		for _, file := range k.Resources {
			manifests += string(content(t, filepath.Join(dir, file)))
		}
		for _, m := range k.ConfigMapGenerator {
			content(t, filepath.Join(dir, m.Files[0]))
			if !strings.Contains(manifests, "configMap: {name: "+m.Name+"}") {
				t.Errorf("nobody mounts %s", m.Name)
			}
		}
		for _, i := range k.Images {
			if !strings.Contains(manifests, " image: "+i.Name+":") || i.NewTag == "latest" {
				t.Errorf("no image is %s, or it is not pinned", i.Name)
			}
		}
		built, err := exec.Command("kubectl", "kustomize", dir).Output()
		if errors.Is(err, exec.ErrNotFound) {
			t.Logf("WARNING: %s was not built: kubectl is not installed", name)
			continue
		}
		must(t, err)
		configs := 0
		for _, doc := range strings.Split(string(built), "\n---\n") {
			var kind struct{ Kind string }
			must(t, yaml.Unmarshal([]byte(doc), &kind))
			into, known := map[string]any{"ServiceAccount": &corev1.ServiceAccount{}, "ConfigMap": &corev1.ConfigMap{},
				"Service": &corev1.Service{}, "StatefulSet": &appsv1.StatefulSet{}, "Deployment": &appsv1.Deployment{},
				"PersistentVolumeClaim": &corev1.PersistentVolumeClaim{}, "NetworkPolicy": &networkingv1.NetworkPolicy{},
				"PodDisruptionBudget": &policyv1.PodDisruptionBudget{}}[kind.Kind]
			if !known {
				t.Errorf("%s makes a %q", name, kind.Kind)
				continue
			}
			must(t, yaml.UnmarshalStrict([]byte(doc), into))
			if c, is := into.(*corev1.ConfigMap); is {
				configs++
				if c.Data["anond.yaml"] != string(content(t, filepath.Join(dir, "anond.yaml"))) || strings.Count(string(built), c.Name) < 2 {
					t.Errorf("%s: the pods do not mount the configuration", name)
				}
			}
		}
		if configs != 1 {
			t.Errorf("%s has %d configurations", name, configs)
		}
	}
}

func content(t *testing.T, path string) []byte {
	text, err := os.ReadFile(path)
	must(t, err)
	return text
}

// TestKubernetesShards: the number of shards is the same wherever it stands, and the union
// sees the releases and nothing that is private.
func TestKubernetesShards(t *testing.T) {
	var set appsv1.StatefulSet
	var service corev1.Service
	var union appsv1.Deployment
	var claim, backups corev1.PersistentVolumeClaim
	var account corev1.ServiceAccount
	var ofShards, ofUnion policyv1.PodDisruptionBudget
	decoded(t, "shards/manifests.yaml", map[string]any{"ServiceAccount": &account, "Service": &service,
		"StatefulSet": &set, "NetworkPolicy": &networkingv1.NetworkPolicy{}, "Deployment": &union, "PersistentVolumeClaim": &claim,
		"PersistentVolumeClaim anond-backups": &backups, "PodDisruptionBudget": &ofShards, "PodDisruptionBudget anond-union": &ofUnion})
	checkSet(t, &set, &service)
	const shards = "16"
	config := string(content(t, filepath.Join("..", "kubernetes", "shards", "anond.yaml")))
	if !strings.Contains(config, "shard: {of: "+shards+", group: ") || *set.Spec.Replicas < 2 {
		t.Error("the shards are not divided among several hosts")
	}
	if b := ofShards.Spec; b.MaxUnavailable.IntValue() != 1 || !maps.Equal(b.Selector.MatchLabels, set.Spec.Selector.MatchLabels) {
		t.Error("a drain of nodes ends more than one host at a time")
	}
	if b := ofUnion.Spec; b.MinAvailable.IntValue() < 1 || int(*union.Spec.Replicas) <= b.MinAvailable.IntValue() ||
		!maps.Equal(b.Selector.MatchLabels, union.Spec.Selector.MatchLabels) {
		t.Error("a drain of nodes ends the union, or waits for ever")
	}
	pod := union.Spec.Template.Spec
	args := strings.Join(pod.Containers[0].Args, " ")
	if !strings.Contains(args, "--shards "+shards+" ") || !strings.Contains(args, "--dir "+pod.Containers[0].VolumeMounts[0].MountPath+" ") {
		t.Errorf("the union is of other shards: %s", args)
	}
	checkConfined(t, pod)
	checkProbes(t, pod.Containers[0])
	checkVolumes(t, pod, nil)
	for _, of := range []corev1.PodSpec{set.Spec.Template.Spec, pod} {
		if of.ServiceAccountName != account.Name {
			t.Errorf("no pod can be made: there is no service account %s", of.ServiceAccountName)
		}
	}
	if len(pod.Volumes) != 1 || pod.Volumes[0].PersistentVolumeClaim.ClaimName != claim.Name {
		t.Error("the union has more than the releases")
	}
	checkTakeover(t, &set, config, shards, &backups)
	if len(claim.Spec.AccessModes) != 1 || claim.Spec.AccessModes[0] != corev1.ReadWriteMany {
		t.Error("pods on several nodes write the releases")
	}
}

// checkTakeover: the journal has a topic with a partition for each shard, and the backups of each are on a volume that all nodes
// reach and only shards mount.
func checkTakeover(t *testing.T, set *appsv1.StatefulSet, config, shards string, backups *corev1.PersistentVolumeClaim) {
	if !strings.Contains(config, "journal: {topic: anond.journal}") || !strings.Contains(config, `backup: {dir: "./backups/${SHARD}"`) {
		t.Error("there is no journal, or shards share a directory of backups")
	}
	how := content(t, filepath.Join("..", "kubernetes", "shards", "kustomization.yaml"))
	if !strings.Contains(string(how), "--topic anond.journal --partitions "+shards+" ") {
		t.Error("the topic of the journal has another number of partitions")
	}
	if backups.Spec.AccessModes[0] != corev1.ReadWriteMany {
		t.Error("another node does not see the backups")
	}
	for _, v := range set.Spec.Template.Spec.Volumes {
		if v.Name == "backups" && v.PersistentVolumeClaim.ClaimName == backups.Name {
			return
		}
	}
	t.Error("no shard mounts the backups")
}

// decoded decodes a file whose documents are one of each kind, or of a kind and a name.
func decoded(t *testing.T, name string, into map[string]any) {
	for _, doc := range strings.Split(string(content(t, filepath.Join("..", "kubernetes", name))), "\n---\n") {
		var kind struct {
			Kind     string
			Metadata struct{ Name string }
		}
		must(t, yaml.Unmarshal([]byte(doc), &kind))
		key := kind.Kind + " " + kind.Metadata.Name
		if into[key] == nil {
			key = kind.Kind
		}
		target, known := into[key]
		if !known {
			t.Fatalf("%q is not expected, or there twice", kind.Kind)
		}
		delete(into, key)
		if err := yaml.UnmarshalStrict([]byte(doc), target); err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
	}
	if len(into) > 0 {
		t.Errorf("not there: %v", into)
	}
}

func checkSet(t *testing.T, set *appsv1.StatefulSet, service *corev1.Service) {
	pod := set.Spec.Template
	for key, value := range service.Spec.Selector {
		if pod.Labels[key] != value || set.Spec.Selector.MatchLabels[key] != value {
			t.Errorf("the service does not select the pod by %s", key)
		}
	}
	if set.Spec.ServiceName != service.Name {
		t.Error("the set is not under the name of the service")
	}
	checkConfined(t, pod.Spec)
	checkProbes(t, pod.Spec.Containers[0])
	checkVolumes(t, pod.Spec, set.Spec.VolumeClaimTemplates)
}

func checkConfined(t *testing.T, pod corev1.PodSpec) {
	sec := pod.Containers[0].SecurityContext
	free := !*sec.ReadOnlyRootFilesystem || *sec.AllowPrivilegeEscalation || !*pod.SecurityContext.RunAsNonRoot
	if free || sec.Capabilities.Drop[0] != "ALL" {
		t.Error("the container is not confined")
	}
}

func checkProbes(t *testing.T, c corev1.Container) {
	// These two are answered also while all places of the server are taken (internal/ops/web: the reserve for health).
	for probe, path := range map[*corev1.Probe]string{c.StartupProbe: "/healthz", c.LivenessProbe: "/healthz", c.ReadinessProbe: "/readyz"} {
		if probe.HTTPGet.Path != path || probe.HTTPGet.Port.StrVal != c.Ports[0].Name {
			t.Errorf("%s is not probed at the port of the container", path)
		}
	}
}

func checkVolumes(t *testing.T, pod corev1.PodSpec, claims []corev1.PersistentVolumeClaim) {
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, v := range claims {
		volumes[v.Name] = true
		if v.Spec.Resources.Requests.Storage().IsZero() {
			t.Errorf("%s has no size", v.Name)
		}
	}
	for _, m := range pod.Containers[0].VolumeMounts {
		if !volumes[m.Name] {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
}

// TestPrometheus: the parser of Prometheus takes each alert and each query of the dashboard.
func TestPrometheus(t *testing.T) {
	language := parser.NewParser(parser.Options{})
	text, err := os.ReadFile(filepath.Join("..", "alerts.yml"))
	must(t, err)
	groups, errs := rulefmt.Parse(text, false, model.UTF8Validation, language, slog.New(slog.NewTextHandler(io.Discard, nil)))
	for _, err := range errs {
		t.Error(err)
	}
	if groups == nil || len(groups.Groups[0].Rules) < 12 {
		t.Fatal("there are hardly any alerts")
	}
	text, err = os.ReadFile(filepath.Join("..", "grafana", "anond.json"))
	must(t, err)
	var board any
	must(t, json.Unmarshal(text, &board))
	queries := 0
	eachExpr(board, func(q string) {
		queries++
		if _, err := language.ParseExpr(q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	})
	if queries < 20 {
		t.Errorf("only %d queries", queries)
	}
	if _, err := language.ParseExpr("rate(anond_x)["); err == nil {
		t.Error("the parser takes anything")
	}
}

// eachExpr visits what stands under "expr".
func eachExpr(x any, visit func(string)) {
	switch x := x.(type) {
	case map[string]any:
		for key, v := range x {
			if text, ok := v.(string); ok && key == "expr" {
				visit(text)
			}
			eachExpr(v, visit)
		}
	case []any:
		for _, v := range x {
			eachExpr(v, visit)
		}
	}
}

// TestBillsOfMaterials: CycloneDX's own library reads the bills of `make dist`, strictly,
// and they name what the program is made of.
func TestBillsOfMaterials(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "dist", "*.cdx.json"))
	must(t, err)
	if len(files) == 0 {
		fmt.Fprintln(os.Stderr, "THE BILLS OF MATERIALS WERE NOT CHECKED: run make dist first")
		t.Skip("not checked: there is no dist")
	}
	for _, name := range files {
		f, err := os.Open(name)
		must(t, err)
		var bom cdx.BOM
		must(t, cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(&bom))
		must(t, f.Close())
		have := map[string]bool{}
		for _, c := range *bom.Components {
			have[c.Name] = c.PackageURL != "" && c.Version != "" && c.Type != ""
		}
		want := []string{"go.etcd.io/bbolt", "github.com/segmentio/kafka-go", "std"}
		if strings.HasPrefix(filepath.Base(name), "anond-lake") {
			want = []string{"anond", "github.com/apache/iceberg-go", "github.com/parquet-go/parquet-go", "std"}
		}
		for _, name := range want {
			if !have[name] {
				t.Errorf("%s: %s is not in it", f.Name(), name)
			}
		}
		if len(*bom.Dependencies) == 0 || bom.SpecVersion != cdx.SpecVersion1_6 {
			t.Errorf("%s: no dependencies, or another version", f.Name())
		}
	}
}
