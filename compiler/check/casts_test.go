package check

import "testing"

// TestCastNumbers: a cast to a number cuts, and extends by the sign of what is cast.
func TestCastNumbers(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$a = (uint8)256;         // uint8 = 0
$b = (uint8)-1;          // uint8 = 255
$c = (int8)128;          // int8 = -128
$d = (int16)0x18000;     // int16 = -32768
$e = (uint32)-1;         // uint32 = 4294967295
$f = (int32)0xffffffff;  // int32 = -1
$g = (uint64)(int8)-1;   // uint64 = 18446744073709551615
$h = (uint64)(uint8)-1;  // uint64 = 255
$i = (bool)0;            // bool = 0
$j = (bool)256;          // bool = 1
$k = (char)321;          // char = 65
$l = (int64)pid;         // int64
$m = (uint8)pid;         // uint8
$n = (int8)(uint8)200;   // int8 = -56
$o = (size_t)1;          // uint64 = 1
$p = (unsigned long)1;   // uint64 = 1
$q = (unsigned int)-1;   // uint32 = 4294967295
$r = (short)65535;       // int16 = -1
$s = (u32)-1;            // uint32 = 4294967295
$t1 = (s8)255;           // int8 = -1
$u = (long long)1;       // int64 = 1
$v = (unsigned char)511; // uint8 = 255
$w = (__be16)258;        // uint16 = 258
$x = (uint64)"7"[0];     // uint64
$y = (uint64)(void *)5;  // uint64 = 5
$z = (uint32)args.file;  // uint32
`)
}

// TestCastTexts: numbers and texts become arrays, buffers and texts of other sizes.
func TestCastTexts(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
$a = (string[8])"abc";          // string[8] = "abc"
$b = (string[64])comm;          // string[64]
$c = (string)comm;              // string[1024]
$d = (buffer[16])buf("abc", 3); // buffer[16]
$e = (uint8[8])pid;             // uint8[8]
$f = (uint8[4])0x01020304;      // uint8[4]
$g = (uint16[])pid;             // uint16[2]
$h = (uint8[])comm;             // uint8[16]
$i = (uint32[2])nsecs;          // uint32[2]
$j = (char[16])comm;            // char[16]
$k = (uint64)(uint8[8])5;       // uint64
$l = (uint32)(uint8[2])5;       // uint32
$o = (enum pid_type)1;          // enum pid_type = 1
$p = (enum pid_type)pid;        // enum pid_type
$q = (struct file *)arg1;       // struct file *
$r = (struct file *)0;          // struct file * = 0
$s = (uint8 *)args.file;        // uint8 *
$t1 = (uint64)args.file;        // uint64
$u = (int32 *)(arg0 + 4);       // int32 *
$w = (void *)nsecs;             // void *
`)
}

// TestCastErrors: what no cast can do.
func TestCastErrors(t *testing.T) {
	says(t, "kprobe:vfs_open", `
_ = (string[0])"";
    ^^^^^^^^^^^^^ a string needs room for its end: string[0] has none
    ? string[N] holds N-1 characters

_ = (string[4])comm;

_ = (buffer[2])buf("abc", 3);
    ^^^^^^^^^^^^^^^^^^^^^^^^ buffer[3] does not fit buffer[2]
    ? buffers can only grow

_ = (string[16])pid;
    ^^^^^^^^^^^^^^^ uint32 can't be cast to string[16]
    ? str() reads the text at an address

_ = (string)args.file;
    ^^^^^^^^^^^^^^^^^ struct file * can't be cast to string[1024]
    ? str() reads the text at an address

_ = (buffer[4])pid;
    ^^^^^^^^^^^^^^ uint32 can't be cast to buffer[4]

_ = (struct file)args.file;
    ^^^^^^^^^^^^^^^^^^^^^^ struct file * can't be cast to struct file
    ? cast a pointer: *(struct file *)x

_ = (enum pid_type)77;
    ^^^^^^^^^^^^^^^^^ enum pid_type has no value 77
    ? its values are PIDTYPE_PID (0), PIDTYPE_TGID (1), PIDTYPE_PGID (2), PIDTYPE_SID (3), PIDTYPE_MAX (4)

_ = (uint64)(uint8[16])comm;
    ^^^^^^^^^^^^^^^^^^^^^^^ uint8[16] has more than 8 bytes, so it can't be cast to uint64
    ? take an element: x[0]

_ = (uint32)(1, 2);
    ^^^^^^^^^^^^^^ (int64, int64) can't be cast to uint32
    ? take one of its parts: x.0

_ = (uint64)kstack;
    ^^^^^^^^^^^^^^ kstack can't be cast to uint64

_ = (bool)comm;
    ^^^^^^^^^^ string can't be cast to bool
    ? strings are not converted to numbers

_ = (uint32 *)(1, 2);
    ^^^^^^^^^^^^^^^^ (int64, int64) can't be cast to uint32 *
    ? only numbers and pointers are addresses

_ = (struct file *)kstack;
    ^^^^^^^^^^^^^^^^^^^^^ kstack can't be cast to struct file *
    ? only numbers and pointers are addresses

_ = (uint8 *)*args.path;
    ^^^^^^^^^^^^^^^^^^^ struct path can't be cast to uint8 *
    ? take its address: (uint8 *)&x

_ = (uint8[2])kstack;
    ^^^^^^^^^^^^^^^^ kstack can't be cast to uint8[2]
    ? only numbers, arrays and buf() are read as arrays

_ = (void[2])pid;
    ^^^^^^^^^^^^ an array of void has no size
    ? bytes are uint8: (uint8[4])x

_ = (uint16[])buf("abc", 3);
    ^^^^^^^^^^^^^^^^^^^^^^^ the 3 bytes of buffer[3] are not a whole number of uint16
    ? take 2 bytes, or convert it to bytes: (uint8[])x

_ = (uint32[3])nsecs;
    ^^^^^^^^^^^^^^^^ uint64 has 8 bytes, but uint32[3] has 12
    ? it holds 2 elements: (uint32[])x

_ = (uint8[3])buf("abcde", 5);
    ^^^^^^^^^^^^^^^^^^^^^^^^^ buffer[5] has 5 bytes, but uint8[3] has 3
    ? it holds 5 elements: (uint8[])x

_ = (struct nosuch *)arg0; _ = (nosuch)5;
                                ^^^^^^ there is no type called nosuch
                                ? types are int8 to int64, uint8 to uint64, string, struct NAME *

_ = (struct fil *)arg0;
     ^^^^^^^^^^ there is no struct fil on this kernel
     ? did you mean struct file? A module's types are known once it is loaded

_ = (typeof(5))7;

_ = (float)5;
     ^^^^^ there is no type called float
     ? types are int8 to int64, uint8 to uint64, string, struct NAME *

_ = (double *)arg0;

_ = (uint8[99999999999])5;
           ^^^^^^^^^^^ 99999999999 can't be the length of an array
           ? it is a number from 0 to 1073741824

_ = (file *)arg1;

_ = (string[2])"long";
    ^^^^^^^^^^^^^^^^^ this string has 4 characters and does not fit string[2]
    ? strings can only grow

_ = (uint8[3])comm;
    ^^^^^^^^^^^^^^ string has 16 bytes, but uint8[3] has 3
    ? it holds 16 elements: (uint8[])x

_ = (struct file)5;
    ^^^^^^^^^^^^^^ int64 can't be cast to struct file
    ? cast a pointer: *(struct file *)x
`)
}

// TestTypeNames: how types are named, in casts, in sizeof() and in declarations.
func TestTypeNames(t *testing.T) {
	gives(t, "kprobe:vfs_open", `
struct own { uint32 a; struct { int x; int y; } in; union { uint64 n; char b[8]; }; };
typedef struct own own_t;
typedef own_t *own_p;
typedef int matrix[2][3];
enum colour { RED, GREEN = 5, BLUE };
union both { uint32 n; uint8 b[4]; };
struct bits { uint32 a : 3; uint32 b : 30; int32 c : 2; };
struct packed { char c; uint64 n; } __attribute__((packed));
struct outer { struct own o; own_p p; };
---
$a = sizeof(struct own);                                     // uint64 = 24
$b = sizeof(own_t);                                          // uint64 = 24
$c = sizeof(own_p);                                          // uint64 = 8
$d = sizeof(matrix);                                         // uint64 = 24
$e = sizeof(enum colour);                                    // uint64 = 4
$f = sizeof(union both);                                     // uint64 = 4
$g = sizeof(struct bits);                                    // uint64 = 8
$h = sizeof(struct packed);                                  // uint64 = 9
$i = sizeof(struct outer);                                   // uint64 = 32
$j = offsetof(struct own, in.y);                             // uint64 = 8
$k = offsetof(struct own, n);                                // uint64 = 16
$l = offsetof(struct bits, c);                               // uint64 = 4
$m = offsetof(struct packed, n);                             // uint64 = 1
$n = offsetof(struct outer, p);                              // uint64 = 24
$o = GREEN;                                                  // enum colour = 5
$p = BLUE;                                                   // enum colour = 6
$q = (enum colour)6;                                         // enum colour = 6
$r = ((struct outer *)arg0).o.in.x;                          // int32
$s = ((struct outer *)arg0).p.a;                             // uint32
$t1 = ((own_p)arg0).b[3];                                    // int8
$u = ((struct bits *)arg0).b;                                // uint32
$v = ((struct bits *)arg0).c;                                // int32
$w = *(own_t *)arg0;                                         // struct own
$x = (matrix *)arg0;                                         // int32[2][3] *
$y = (*$x)[1][2];                                            // int32
$z = sizeof($w.in);                                          // uint64 = 8
$aa = ((struct own *)arg0 + 1).a;                            // uint32
$ab = &((struct outer *)arg0).o.in;                          // struct (anonymous) *
$ac = sizeof(uint8[3][4]);                                   // uint64 = 12
$ad = sizeof(string[9]);                                     // uint64 = 9
$ae = sizeof(buffer[9]);                                     // uint64 = 16
$af = sizeof(struct file *);                                 // uint64 = 8
$ag = sizeof((1, "x"));                                      // uint64 = 3
$ah = sizeof(comm);                                          // uint64 = 16
$ai = sizeof(pid);                                           // uint64 = 4
$aj = typeinfo(struct own).full_type;                        // string[16] = "struct own"
$ak = typeinfo(arg0).base_type;                              // string[8] = "int"
$al = typeinfo(comm).full_type;                              // string[16] = "string[16]"
$am = typeinfo($w).full_type;                                // string[16] = "struct own"
$an = typeinfo((pid, "a")).full_type;                        // string[24] = "(uint32,string[2])"
`)
}

// TestOwnTypeErrors: what a script can't define.
func TestOwnTypeErrors(t *testing.T) {
	says(t, "", `
struct a { struct b x; }
^^^^^^^^^^^^^^^^^^^^^^^^ struct a contains itself
? use a pointer to it
struct b { struct a y; }
begin { print(sizeof(struct a)); }

union u { int a; }
union u { int a; }
^^^^^^^^^^^^^^^^^^ union u is defined twice
? give one of them another name
begin { print(1); }

struct s { char c : 9; }
           ^^^^^^^^^^ char has only 8 bits
           ? use a wider type, such as uint64, or fewer bits
begin { print(sizeof(struct s)); }

struct s { struct file *p : 3; }
           ^^^^^^^^^^^^^^^^^^ a bitfield must be an integer, not struct file *
           ? write unsigned int or another integer type
begin { print(sizeof(struct s)); }

enum e { A = 1 }
         ^^^^^ note: it is defined here
enum f { A = 2 }
         ^^^^^ A is defined twice
         ? give one of them another name
begin { print(A); }

enum e { A = nosuch }
             ^^^^^^ the value of A must be a constant
             ? write a number, or an enumerator that is defined above
begin { print(A); }

struct s { int big[2000000000]; int more[2000000000]; }
                   ^^^^^^^^^^ 2000000000 can't be the length of an array
                   ? it is a number from 0 to 1073741824
begin { print(sizeof(struct s)); }

struct s { float f; int n; }
begin { print(((struct s *)0).n); print(((struct s *)0).f); }
                                        ^^^^^^^^^^^^^^^^^ there are no floating-point types
                                        ? read its bytes as a number: *(uint64 *)&p->x

struct s { struct nosuch *p; struct nosuch q; }
                             ^^^^^^^^^^^^^ there is no struct nosuch on this kernel
                             ? define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded
begin { print(sizeof(struct s)); }

struct s { int a; }
begin { print(offsetof(struct s, b)); print(offsetof(struct s, a.b)); print(offsetof(struct s, a[1])); }
              ^^^^^^^^^^^^^^^^^^^^^ struct s has no member b
              ? struct thresh_restart has it: ((struct thresh_restart *)x)->b
                                            ^^^^^^^^^^^^^^^^^^^^^^^ int32 has no members
                                            ? the path ends here
                                                                            ^^^^^^^^^^^^^^^^^^^^^^^^ int32 has no elements
                                                                            ? the path ends here

typedef struct nosuch thing;
        ^^^^^^^^^^^^^ there is no struct nosuch on this kernel
        ? define it in the script, or test for it with exists(struct nosuch); the types of a module are known once it is loaded
begin { $p = (thing *)0; print($p.x); }
`)
}
