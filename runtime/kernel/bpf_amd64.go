package kernel

const sysBPF = 321
