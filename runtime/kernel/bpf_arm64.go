package kernel

const sysBPF = 280
