package ir

// Fact is what OpGet gets: of the running thread, the processor, the time, the event.
type Fact uint8

const (
	FactInvalid     Fact = iota
	FactIDs              // process << 32 | thread, as the kernel numbers them
	FactOwnIDs           // the same as this process's PID namespace numbers them; 0 for those outside of it
	FactUserIDs          // group << 32 | user
	FactCgroup           // id of the cgroup
	FactTask             // address of the task
	FactTaskPointer      // the same as a pointer that loads follow
	FactUserRegs         // pt_regs of the thread in user mode, as a pointer that loads follow; A is a FactTaskPointer
	FactCPU
	FactNode   // NUMA node
	FactRandom // 32 bits
	FactBootTime
	FactMonotonicTime
	FactTAI
	FactJiffies
	FactCookie   // the number that the link of the program was given; A is the context
	FactFunction // address of the probed function; A is the context
)

// facts is indexed by Fact.
var facts = [...]struct {
	name    string
	effects Effects
	asks    bool // A
}{
	FactInvalid:       {name: "invalid"},
	FactIDs:           {name: "ids", effects: Repeatable | Number},
	FactOwnIDs:        {name: "own_ids", effects: Repeatable | Number},
	FactUserIDs:       {name: "user_ids", effects: Repeatable | Number},
	FactCgroup:        {name: "cgroup", effects: Repeatable | Number},
	FactTask:          {name: "task", effects: Repeatable | Number},
	FactTaskPointer:   {name: "task_pointer", effects: Repeatable},
	FactUserRegs:      {name: "user_regs", effects: Repeatable, asks: true},
	FactCPU:           {name: "cpu", effects: Repeatable | Number},
	FactNode:          {name: "node", effects: Repeatable | Number},
	FactRandom:        {name: "random", effects: Varies | Number},
	FactBootTime:      {name: "boot_time", effects: Clock | Repeatable | Number},
	FactMonotonicTime: {name: "monotonic_time", effects: Clock | Repeatable | Number},
	FactTAI:           {name: "tai", effects: Clock | Repeatable | Number},
	FactJiffies:       {name: "jiffies", effects: Clock | Repeatable | Number},
	FactCookie:        {name: "cookie", effects: Repeatable | Number, asks: true},
	FactFunction:      {name: "function", effects: Repeatable | Number, asks: true},
}

// String returns the name of f in the text form.
func (f Fact) String() string { return facts[min(int(f), len(facts)-1)].name }

// Asks reports whether f is got of an operand.
func (f Fact) Asks() bool { return facts[f].asks }

// Space is where OpRead and OpReadMem read.
type Space uint8

const (
	SpaceAny    Space = iota // the kernel's memory or, if the address is one of a process, that
	SpaceKernel              // of the kernel
	SpaceUser                // of the running process
	SpaceOwn                 // of the program itself, at an address that the verifier does not follow
)

// spaces is indexed by Space.
var spaces = [...]string{SpaceAny: "any", SpaceKernel: "kernel", SpaceUser: "user", SpaceOwn: "own"}

// String returns the name of s in the text form.
func (s Space) String() string { return spaces[s] }
