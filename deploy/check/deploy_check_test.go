// Package check holds deploy/ against the libraries of those who read it: Compose,
// Kubernetes and Prometheus. No engine is needed.
package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
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
	decoded(t, "anond.yaml", map[string]any{"ServiceAccount": &corev1.ServiceAccount{}, "ConfigMap": &corev1.ConfigMap{},
		"Service": &service, "StatefulSet": &set, "NetworkPolicy": &networkingv1.NetworkPolicy{}})
	checkSet(t, &set, &service)
	if *set.Spec.Replicas != 1 {
		t.Error("one state has one publisher")
	}
}

// TestKubernetesShards: the number of shards is the same wherever it stands, and the union
// sees the releases and nothing that is private.
func TestKubernetesShards(t *testing.T) {
	var set appsv1.StatefulSet
	var service corev1.Service
	var config corev1.ConfigMap
	var union appsv1.Deployment
	var claim, backups corev1.PersistentVolumeClaim
	var account corev1.ServiceAccount
	decoded(t, "shards.yaml", map[string]any{"ServiceAccount": &account, "ConfigMap": &config, "Service": &service,
		"StatefulSet": &set, "NetworkPolicy": &networkingv1.NetworkPolicy{}, "Deployment": &union, "PersistentVolumeClaim": &claim,
		"PersistentVolumeClaim anond-backups": &backups})
	checkSet(t, &set, &service)
	shards := fmt.Sprint(*set.Spec.Replicas)
	if !strings.Contains(config.Data["anond.yaml"], "of: "+shards+", ") {
		t.Error("shard.of is not the number of replicas")
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
	checkTakeover(t, &set, &config, &backups)
	if len(claim.Spec.AccessModes) != 1 || claim.Spec.AccessModes[0] != corev1.ReadWriteMany {
		t.Error("pods on several nodes write the releases")
	}
}

// checkTakeover: the journal has a topic with a partition for each shard; what runs before a shard sees what it needs to put a
// backup in place, under the same user, and the backups are on a volume that all nodes reach and only shards mount.
func checkTakeover(t *testing.T, set *appsv1.StatefulSet, config *corev1.ConfigMap, backups *corev1.PersistentVolumeClaim) {
	text := config.Data["anond.yaml"]
	if !strings.Contains(text, "journal: {topic: anond.journal}") || !strings.Contains(text, `backup: {dir: "./backups/${HOSTNAME}"`) {
		t.Error("there is no journal, or shards share a directory of backups")
	}
	manifest, err := os.ReadFile(filepath.Join("..", "kubernetes", "shards.yaml"))
	must(t, err)
	if !strings.Contains(string(manifest), fmt.Sprintf("--topic anond.journal --partitions %d ", *set.Spec.Replicas)) {
		t.Error("the topic of the journal has another number of partitions")
	}
	pod := set.Spec.Template.Spec
	before, shard := pod.InitContainers[0], pod.Containers[0]
	if strings.Join(before.Args, " ") != "state restore --missing -c "+shard.Args[len(shard.Args)-1] || before.Image != shard.Image {
		t.Errorf("before the shard runs %q", before.Args)
	}
	pod.Containers = pod.InitContainers
	checkConfined(t, pod)
	have := map[string]bool{}
	place := func(m corev1.VolumeMount) string {
		return fmt.Sprint(m.Name, " ", m.MountPath, " ", m.SubPath, " ", m.ReadOnly)
	}
	for _, m := range shard.VolumeMounts {
		have[place(m)] = true
	}
	for _, m := range before.VolumeMounts {
		if !have[place(m)] {
			t.Errorf("%s is mounted otherwise than by the shard", m.Name)
		}
	}
	if backups.Spec.AccessModes[0] != corev1.ReadWriteMany {
		t.Error("another node does not see the backups")
	}
	for _, v := range pod.Volumes {
		if v.Name == "backups" && v.PersistentVolumeClaim.ClaimName == backups.Name {
			return
		}
	}
	t.Error("no shard mounts the backups")
}

// decoded decodes a file whose documents are one of each kind, or of a kind and a name.
func decoded(t *testing.T, name string, into map[string]any) {
	text, err := os.ReadFile(filepath.Join("..", "kubernetes", name))
	must(t, err)
	for _, doc := range strings.Split(string(text), "\n---\n") {
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
	for path, probe := range map[string]*corev1.Probe{"/healthz": c.LivenessProbe, "/readyz": c.ReadinessProbe} {
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
