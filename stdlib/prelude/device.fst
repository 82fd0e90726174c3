// The parts of a device number as the kernel keeps it, called as in linux/kdev_t.h.

// MAJOR(dev): the major number of a device, that of its driver: 8 for sda.
macro MAJOR(dev) { (uint32)dev >> 20 }

// MINOR(dev): the minor number of a device, that among the devices of its driver.
macro MINOR(dev) { (uint32)dev & 0xfffff }
