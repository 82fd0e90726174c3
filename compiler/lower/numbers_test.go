package lower_test

import "testing"

// TestDivision: division truncates, as in C, by constants and by what is known only at run time.
func TestDivision(t *testing.T) {
	prints(t, `
@n = -7; @m = 2;
$n = @n; $m = @m;
print($n / $m);       //= -3
print($n % $m);       //= -1
print($n / -$m);      //= 3
print($n % -$m);      //= -1
@h[1] = 5; print(@h); //= @h[1]: 5
for ($i : 0..3) {
  print($i);
}
//= 0
//= 1
//= 2
// at the end
//= @h[1]: 5
//= @m: 2
//= @n: -7
`)
}
