// A client over Go's net/http, as its users write it: a goroutine for each call in flight.
//
//	go-baseline URL [--in-flight N] [--connections N] [--seconds S] [--ca FILE] [--http2] [--field 'Name: value']...
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const warmUp = 250 * time.Millisecond

type options struct {
	url                   string
	inFlight, connections int
	duration              time.Duration
	authorities           string
	http2                 bool
	fields                [][2]string
}

func fail(what string, why any) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, why)
	os.Exit(1)
}

func parse() options {
	if len(os.Args) < 2 {
		fail("go-baseline", "a URL is missing")
	}
	o := options{url: os.Args[1], inFlight: 1, connections: 1, duration: time.Second}
	for i := 2; i < len(os.Args); i++ {
		name := os.Args[i]
		if name == "--http2" {
			o.http2 = true
			continue
		}
		i++
		if i == len(os.Args) {
			fail(name, "a value is missing")
		}
		value := os.Args[i]
		switch name {
		case "--in-flight":
			o.inFlight, _ = strconv.Atoi(value)
		case "--connections":
			o.connections, _ = strconv.Atoi(value)
		case "--seconds":
			seconds, _ := strconv.ParseFloat(value, 64)
			o.duration = time.Duration(seconds * float64(time.Second))
		case "--ca":
			o.authorities = value
		case "--field":
			key, text, _ := strings.Cut(value, ": ")
			o.fields = append(o.fields, [2]string{key, text})
		default:
			fail(name, "unknown option")
		}
	}
	return o
}

func client(o options) *http.Client {
	transport := &http.Transport{
		MaxConnsPerHost: o.connections, MaxIdleConns: o.connections, MaxIdleConnsPerHost: o.connections,
		ForceAttemptHTTP2: o.http2,
	}
	if o.authorities != "" {
		pem, err := os.ReadFile(o.authorities)
		if err != nil {
			fail(o.authorities, err)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(pem)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &http.Client{Transport: transport}
}

func call(client *http.Client, o options) bool {
	request, err := http.NewRequestWithContext(context.Background(), "GET", o.url, nil)
	if err != nil {
		return false
	}
	for _, field := range o.fields {
		request.Header.Set(field[0], field[1])
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return err == nil && response.StatusCode == 200 && len(body) > 0
}

// The resources that the process has used so far: microseconds of the processor, allocations of Go's own heap.
func used() (float64, uint64) {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e3, memory.Mallocs
}

func peakKiB() int {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmHWM:" {
			peak, _ := strconv.Atoi(fields[1])
			return peak
		}
	}
	return 0
}

func main() {
	o := parse()
	http := client(o)
	var isMeasuring, isOver atomic.Bool
	var failures atomic.Int64
	latencies := make([][]float64, o.inFlight)
	var callers sync.WaitGroup
	for place := 0; place < o.inFlight; place++ {
		callers.Add(1)
		go func(place int) {
			defer callers.Done()
			for !isOver.Load() {
				started := time.Now()
				if !call(http, o) {
					failures.Add(1)
				}
				if isMeasuring.Load() {
					latencies[place] = append(latencies[place], float64(time.Since(started).Nanoseconds())/1e3)
				}
			}
		}(place)
	}
	time.Sleep(warmUp)
	processor, allocations := used()
	began := time.Now()
	isMeasuring.Store(true)
	time.Sleep(o.duration)
	isMeasuring.Store(false)
	seconds := time.Since(began).Seconds()
	processorAfter, allocationsAfter := used()
	isOver.Store(true)
	callers.Wait()
	var all []float64
	for _, some := range latencies {
		all = append(all, some...)
	}
	if len(all) == 0 {
		fail(o.url, "no call came to its end")
	}
	sort.Float64s(all)
	count := float64(len(all))
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"requests": len(all), "failures": failures.Load(), "seconds": seconds, "requestsPerSecond": count / seconds,
		"cpuMicroseconds": (processorAfter - processor) / count,
		"allocations":     float64(allocationsAfter-allocations) / count, "peakKiB": peakKiB(),
		"p50Microseconds": all[len(all)/2], "p99Microseconds": all[len(all)*99/100],
	})
}
