// Goroutines that call C, which allocates.
package main

// #include <stdlib.h>
// #include <string.h>
// static int use(int n) { char *p = malloc(n); memset(p, 1, n); int r = p[n - 1] + n; free(p); return r; }
import "C"
import (
	"fmt"
	"sync"
)

func main() {
	var wait sync.WaitGroup
	sums := make([]int, 8)
	for worker := range sums {
		wait.Add(1)
		go func(worker int) {
			defer wait.Done()
			for i := 1; i < 2500000; i++ {
				sums[worker] += int(C.use(C.int(i%300 + 1)))
			}
		}(worker)
	}
	wait.Wait()
	fmt.Println(sums)
}
