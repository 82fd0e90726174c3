// Image writes an OCI image of one layer, as a tar file that podman and docker load: the program
// and the recorded kernels, without a shell or a library. The same input makes the same bytes.
//
//	go run ./cmd/packages/image -root DIR -tag fst:0.1.0 -o FILE
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// contents are the directories below the root that the image has.
var contents = []string{"usr/bin", "usr/share/fst"}

func main() {
	root := flag.String("root", "", "the directory that make install has filled")
	tag := flag.String("tag", "fst:latest", "name and tag of the image")
	out := flag.String("o", "fst.tar", "the file to write")
	flag.Parse()
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	image, err := build(*root, *tag, time.Unix(seconds, 0).UTC())
	if err == nil {
		err = os.WriteFile(*out, image, 0o666)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// archive is a tar file in the making, all of whose files have one time and belong to root.
type archive struct {
	*tar.Writer
	at  time.Time
	err error
}

func (a *archive) add(name string, mode fs.FileMode, data []byte) {
	h := &tar.Header{Name: name, Mode: int64(mode.Perm()), Size: int64(len(data)), ModTime: a.at, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if mode.IsDir() {
		h.Name, h.Typeflag = name+"/", tar.TypeDir
	}
	if a.err == nil {
		a.err = a.WriteHeader(h)
	}
	if a.err == nil {
		_, a.err = a.Write(data)
	}
}

// layer is the tar file of the image's contents.
func layer(root string, at time.Time) ([]byte, error) {
	var buf bytes.Buffer
	a := &archive{Writer: tar.NewWriter(&buf), at: at}
	a.add("usr", fs.ModeDir|0o755, nil)
	a.add("usr/share", fs.ModeDir|0o755, nil)
	for _, dir := range contents {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if d.IsDir() {
				a.add(name, fs.ModeDir|0o755, nil)
				return a.err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			a.add(name, info.Mode(), data)
			return a.err
		})
		if err != nil {
			return nil, err
		}
	}
	err := a.Close()
	return buf.Bytes(), err
}

type object = map[string]any

// build makes the image's file: an OCI layout, and manifest.json for older versions of docker.
func build(root, tag string, at time.Time) ([]byte, error) {
	files, err := layer(root, at)
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if _, err := z.Write(files); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}

	var image bytes.Buffer
	a := &archive{Writer: tar.NewWriter(&image), at: at}
	blob := func(kind string, data []byte) object {
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		a.add("blobs/sha256/"+sum, 0o644, data)
		return object{"mediaType": "application/vnd.oci.image." + kind, "digest": "sha256:" + sum, "size": len(data)}
	}
	encode := func(v any) []byte {
		data, err := json.Marshal(v)
		if a.err == nil {
			a.err = err
		}
		return data
	}
	pathOf := func(o object) string {
		return "blobs/" + strings.Replace(o["digest"].(string), ":", "/", 1)
	}
	content := blob("layer.v1.tar+gzip", packed.Bytes())
	config := blob("config.v1+json", encode(object{
		"architecture": "amd64", "os": "linux", "created": at.Format(time.RFC3339),
		"config": object{"Entrypoint": []string{"/usr/bin/fst"}, "Env": []string{"PATH=/usr/bin"}},
		"rootfs": object{"type": "layers", "diff_ids": []string{fmt.Sprintf("sha256:%x", sha256.Sum256(files))}},
	}))
	manifest := blob("manifest.v1+json", encode(object{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config, "layers": []object{content}}))
	_, version, _ := strings.Cut(tag, ":")
	manifest["annotations"] = object{"org.opencontainers.image.ref.name": version}
	a.add("index.json", 0o644, encode(object{"schemaVersion": 2, "manifests": []object{manifest}}))
	a.add("manifest.json", 0o644, encode([]object{{"Config": pathOf(config), "RepoTags": []string{tag}, "Layers": []string{pathOf(content)}}}))
	a.add("oci-layout", 0o644, encode(object{"imageLayoutVersion": "1.0.0"}))
	if a.err != nil {
		return nil, a.err
	}
	err = a.Close()
	return image.Bytes(), err
}
