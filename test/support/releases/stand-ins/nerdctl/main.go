// A stand-in for nerdctl, which cannot be built from the Go module proxy: it only tells its version.
package main

import "fmt"

var version = "v0.0.0"

func main() {
	fmt.Println("nerdctl version " + version[1:])
}
