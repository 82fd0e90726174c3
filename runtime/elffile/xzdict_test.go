package elffile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ulikunitz/xz"
)

func packed(t *testing.T, config xz.WriterConfig, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := config.NewWriter(&out)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// lastDictionary is where the size of the dictionary is in the last block's header.
func lastDictionary(data []byte) int { return bytes.LastIndex(data, []byte{0x21, 1}) + 2 }

func TestDictionaryOfEachBlockIsLimited(t *testing.T) {
	content := make([]byte, 300_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range content[:100_000] {
		content[i] = byte(random.Uint32())
	}
	for name, config := range map[string]xz.WriterConfig{
		"one block":      {DictCap: 1 << 20},
		"several blocks": {DictCap: 1 << 16, BlockSize: 70_000},
		"CRC32":          {CheckSum: xz.CRC32},
		"no checksum":    {NoCheckSum: true},
		"SHA-256":        {CheckSum: xz.SHA256, BlockSize: 50_000},
	} {
		data := packed(t, config, content)
		for range 2 { // a second stream follows the first
			if got, err := unpack(data); err != nil || !bytes.HasPrefix(got, content) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
			data = append(data, data...)
		}
		const bytes64M, bytes4G = 28, 40
		at := lastDictionary(data)
		data[at] = bytes64M
		if err := checkDictionaries(data); err != nil {
			t.Errorf("%s: 64 MiB: %v", name, err)
		}
		for _, size := range []byte{bytes64M + 1, bytes4G} {
			data[at] = size
			if err := checkDictionaries(data); !errors.Is(err, errDictionary) {
				t.Errorf("%s: size %d: %v", name, size, err)
			}
		}
		for n := range 200 { // of any part of it: no panic
			checkDictionaries(data[:n*len(data)/200]) //nolint:errcheck // nothing is to be said of it
		}
	}
}
