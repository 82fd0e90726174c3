package lower_test

import "testing"

// TestIndexes: an index of which the compiler knows that it is small enough, one that is compared, and one that is too large.
func TestIndexes(t *testing.T) {
	prints(t, `
@n = 0x0807060504030201; $a = (uint8[8])@n; @i = 5; $i = @i; @s = "abcdefghij"; $s = @s;
print($a[$i & 7]);                                    //= 6
print($a[$i % 8]);                                    //= 6
print($a[$i >> 1]);                                   //= 3
print($a[$i / 2]);                                    //= 3
print($a[($i & 3) + 2]);                              //= 4
print($a[($i & 7) - 1]);                              //= 5
print($a[(uint8)$i]);                                 //= 6
print($a[(uint8)$i & 7]);                             //= 6
print($a[(int8)$i]);                                  //= 6
print($a[$i > 3]);                                    //= 2
print($a[$i == 3]);                                   //= 1
print($a[(uint8)($i + 251)]);                         //= 1
print($a[($i & 7) + 6]);                              //= 0
print($a[$i - 6]);                                    //= 0
print($a[-$i]);                                       //= 0
print($a[$i * 1000]);                                 //= 0
print($s[$i]);                                        //= 102
print($s[$i & 3]);                                    //= 98
print($s[$i + 100]);                                  //= 0
print($s[(uint8)$i - 6]);                             //= 0
print("constant"[$i]);                                //= 97
print("constant"[$i * 3]);                            //= 0
$w = (uint32[2])@n; print($w[$i & 1]);                //= 134678021
print($w[$i]);                                        //= 0
$x = 0; for ($j : 0..8) { $x = $x * 10 + $a[$j]; } print($x); //= 12345678
$x = 0; for ($j : 0..10) { $x += $a[$j]; } print($x); //= 36
$x = 0; for ($j : 0..5) { $x = $x * 2 + ($s[$j] - 97); } print($x); //= 26
$t = (1, $a, $s); print($t.1[$i]);                    //= 6
print($t.2[$i]);                                      //= 102
@m[1] = $a; print(@m[1][$i]);                         //= 6
@m2[1] = $s; print(@m2[1][$i]);                       //= 102
print(@m2[2][$i]);                                    //= 0
`)
}

// TestIndexesOfTheKernel: elements of arrays in the kernel's structs, and of arrays that a pointer leads to.
func TestIndexesOfTheKernel(t *testing.T) {
	for _, kernel := range []string{oldest, newest} {
		w := newWorld(t, kernel)
		limits := make([]uint64, 32)
		for i := range limits {
			limits[i] = uint64(100 + i)
		}
		signal := w.object("signal_struct", nil)
		s, _ := w.kernel.Type("struct", "signal_struct")
		rlim, _ := s.Field("rlim")
		copy(w.memory[signal][rlim.Offset:], wordsOf(limits))
		task := w.object("task_struct", map[string]any{"signal": signal, "comm": "tested"})
		array := w.put(wordsOf(limits))
		texts := w.put(wordsOf([]uint64{w.text("zero"), w.text("one"), w.text("two")}))
		w.sees([]any{call{args: []uint64{task, array, 2, texts}}}, `
struct pair { uint32 low; uint32 high; };
kprobe:vfs_read {
  $t = (struct task_struct *)arg0; $n = arg2;
  print($t.signal.rlim[3].rlim_cur);                    //= 106
  print($t.signal.rlim[$n].rlim_max);                   //= 105
  print($t.signal.rlim[$n * 100].rlim_max);             //= 0
  $r = $t.signal.rlim[$n]; print($r.rlim_cur);          //= 104
  print($t.comm[$n]);                                   //= 115
  print($t.comm[$n + 3]);                               //= 100
  print(((uint64 *)arg1)[1]);                           //= 101
  print(((uint64 *)arg1)[$n]);                          //= 102
  print(((uint16 *)arg1)[$n * 2]);                      //= 101
  print(((struct pair *)arg1)[$n].low);                 //= 102
  print((((struct pair *)arg1) + 3)->low);              //= 103
  print((*(uint64[4] *)arg1)[$n]);                      //= 102
  print(str(((char **)arg3)[$n]));                      //= two
  print(str(((char **)arg3)[0]));                       //= zero
  print(*((uint64 *)arg1 + $n));                        //= 102
  for ($i : 0..3) { @sum += ((uint64 *)arg1)[$i]; }
  for ($i : 0..3) { @[str(((char **)arg3)[$i])] = $i; }
}
// at the end
//= @[zero]: 0
//= @[one]: 1
//= @[two]: 2
//= @sum: 303
//= script:7:28-52: WARNING: 1 index was outside of its array; 0 was used as the element
`)
	}
}

// wordsOf are numbers as they are in memory.
func wordsOf(list []uint64) []byte {
	var b []byte
	for _, v := range list {
		b = append(b, words(v)[:8]...)
	}
	return b
}
