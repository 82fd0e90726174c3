package vm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// apt asks one suite of Debian, with lists and packages apart from the
// machine's own.
type apt struct {
	suite   string
	debs    string
	options []string
}

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

var (
	archiveURI   = regexp.MustCompile(`[a-z+]+:/\S+/debian/?(?:\s|$)`)
	aptComment   = regexp.MustCompile(`(?m)^\s*#.*$`)
	controlField = regexp.MustCompile(`(?m)^([A-Za-z-]+): (.*)$`)
)

// debianArchive is the URI of the Debian archive that this machine's own apt
// is configured to use.
func debianArchive() (string, error) {
	files := []string{"/etc/apt/sources.list"}
	for _, pattern := range []string{"*.list", "*.sources"} {
		match, _ := filepath.Glob(filepath.Join("/etc/apt/sources.list.d", pattern))
		files = append(files, match...)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if uri := archiveURI.Find(aptComment.ReplaceAll(text, nil)); uri != nil {
			return strings.TrimSpace(string(uri)), nil
		}
	}
	return "", errors.New("no Debian archive among this machine's apt sources")
}

func (c Cache) openApt(ctx context.Context, suite string) (*apt, error) {
	archive, err := debianArchive()
	if err != nil {
		return nil, err
	}
	base := filepath.Join(c.Dir, "apt", suite)
	a := &apt{suite: suite, debs: filepath.Join(base, "debs")}
	for _, d := range []string{"lists/partial", "cache/archives/partial", "debs"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			return nil, err
		}
	}
	signed := ""
	if exists(keyring) {
		signed = "[signed-by=" + keyring + "] "
	}
	list := filepath.Join(base, "sources.list")
	if err := os.WriteFile(list, fmt.Appendf(nil, "deb %s%s %s main\n", signed, archive, suite), 0o644); err != nil {
		return nil, err
	}
	for _, option := range []string{
		"Dir::Etc::SourceList=" + list, "Dir::Etc::SourceParts=/dev/null",
		"Dir::State::Lists=" + filepath.Join(base, "lists"), "Dir::Cache=" + filepath.Join(base, "cache"),
		"APT::Sandbox::User=root", "Acquire::Languages=none", "APT::Architecture=amd64",
		"Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
	} {
		a.options = append(a.options, "-o", option)
	}
	_, err = a.run(ctx, "apt-get", "-q", "update")
	return a, err
}

func (a *apt) run(ctx context.Context, program string, args ...string) (string, error) {
	return command(ctx, program, append(a.options[:len(a.options):len(a.options)], args...)...)
}

// show returns the control fields of a package's newest version.
func (a *apt) show(ctx context.Context, name string) (map[string]string, error) {
	text, err := a.run(ctx, "apt-cache", "show", "--no-all-versions", name)
	if err != nil {
		return nil, err
	}
	fields := map[string]string{}
	first, _, _ := strings.Cut(text, "\n\n")
	for _, m := range controlField.FindAllStringSubmatch(first, -1) {
		fields[m[1]] = m[2]
	}
	return fields, nil
}

// download returns the path of a package's .deb.
func (a *apt) download(ctx context.Context, name string) (string, error) {
	fields, err := a.show(ctx, name)
	if err != nil {
		return "", err
	}
	version := strings.ReplaceAll(fields["Version"], ":", "%3a")
	path := filepath.Join(a.debs, fmt.Sprintf("%s_%s_%s.deb", name, version, fields["Architecture"]))
	size, err := strconv.ParseInt(fields["Size"], 10, 64)
	if err != nil {
		return "", fmt.Errorf("package %s has no size: %w", name, err)
	}
	if st, err := os.Stat(path); err == nil && st.Size() == size {
		return path, nil
	}
	cmd := exec.CommandContext(ctx, "apt-get", append(a.options[:len(a.options):len(a.options)], "-q", "download", name)...)
	cmd.Dir = a.debs
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("download of %s: %w\n%s", name, err, out)
	}
	return path, nil
}
