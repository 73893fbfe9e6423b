// Packages for Fedora, Red Hat and SUSE: a module of its own, so that the program's go.mod
// has nothing that only a build needs. `make dist` runs it.
module anond/deploy/rpm

go 1.26.0

require (
	github.com/google/rpmpack v0.7.1
	github.com/sassoftware/go-rpmutils v0.4.0
)

require (
	github.com/DataDog/zstd v1.5.5 // indirect
	github.com/ProtonMail/go-crypto v1.0.0 // indirect
	github.com/cavaliergopher/cpio v1.0.1 // indirect
	github.com/cloudflare/circl v1.3.8 // indirect
	github.com/klauspost/compress v1.18.0 // indirect
	github.com/klauspost/pgzip v1.2.6 // indirect
	github.com/ulikunitz/xz v0.5.12 // indirect
	github.com/xi2/xz v0.0.0-20171230120015-48954b6210f8 // indirect
	golang.org/x/crypto v0.23.0 // indirect
	golang.org/x/sys v0.20.0 // indirect
)
