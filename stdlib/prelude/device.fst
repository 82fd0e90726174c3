// The parts of a device number as the kernel keeps it, called as in linux/kdev_t.h.

// MAJOR(dev): the number of a device's driver, such as 8 of sda.
macro MAJOR(dev) { (uint32)dev >> 20 }

// MINOR(dev): the number of a device among those of its driver.
macro MINOR(dev) { (uint32)dev & 0xfffff }
