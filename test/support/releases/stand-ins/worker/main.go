// The one program of the image that pods of tests run. It does what its first word says; without one it waits for its end.
package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var version = "unknown"

func main() {
	ending := make(chan os.Signal, 1)
	signal.Notify(ending, syscall.SIGINT, syscall.SIGTERM)
	go work(append(os.Args[1:], "", "")[:2])
	<-ending
}

func work(words []string) {
	switch verb, argument := words[0], words[1]; verb {
	case "":
	case "load": // load FOLDER: uses as much as the files cpu (thousandths of a core) and memory (MiB) in it say
		load(argument)
	case "until": // until FILE: waits for the file, then exits with the code in it
		for !exists(argument) {
			time.Sleep(100 * time.Millisecond)
		}
		os.Exit(number(argument))
	case "ready": // ready FOLDER: succeeds where the folder has a file `all` or one of the name of this pod
		name, _ := os.Hostname()
		if !exists(filepath.Join(argument, "all")) && !exists(filepath.Join(argument, name)) {
			os.Exit(1)
		}
		os.Exit(0)
	case "get": // get URL: succeeds where the answer does
		get(argument)
	case "version":
		fmt.Println(version)
		os.Exit(0)
	default:
		fmt.Fprintln(os.Stderr, "unknown word:", verb)
		os.Exit(64)
	}
}

func load(folder string) {
	const period = 100 * time.Millisecond
	var held []byte
	for {
		wanted := number(filepath.Join(folder, "memory")) << 20
		if wanted != len(held) {
			held = make([]byte, wanted)
			debug.FreeOSMemory()
		}
		for i := 0; i < len(held); i += 4096 {
			held[i]++
		}
		begin := time.Now()
		burn(period * time.Duration(number(filepath.Join(folder, "cpu"))) / 1000)
		time.Sleep(period - time.Since(begin))
	}
}

// burn takes so much time of a processor, however long it has to wait for it.
func burn(amount time.Duration) {
	for end := used() + amount; used() < end; {
	}
}

func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func get(url string) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	client := http.Client{Transport: transport, Timeout: 10 * time.Second}
	answer, err := client.Get(url)
	if err != nil || answer.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, err, answer)
		os.Exit(1)
	}
	os.Exit(0)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// number is 0 where there is no such file, or nothing in it yet.
func number(path string) int {
	text, _ := os.ReadFile(path)
	value, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return value
}
