// A stand-in for crictl, which cannot be built from the Go module proxy: `--version`, `version` and `info`,
// asked of the real runtime over its socket, with the output that crictl has.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

var version = "v0.0.0"

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("usage: crictl --version | version | info"))
	}
	switch os.Args[1] {
	case "--version":
		fmt.Println("crictl version " + version)
	case "version":
		ask(func(ctx context.Context, runtime cri.RuntimeServiceClient) error {
			answer, err := runtime.Version(ctx, &cri.VersionRequest{})
			if err == nil {
				fmt.Printf("Version:  %s\nRuntimeName:  %s\nRuntimeVersion:  %s\nRuntimeApiVersion:  %s\n",
					answer.Version, answer.RuntimeName, answer.RuntimeVersion, answer.RuntimeApiVersion)
			}
			return err
		})
	case "info":
		ask(func(ctx context.Context, runtime cri.RuntimeServiceClient) error {
			answer, err := runtime.Status(ctx, &cri.StatusRequest{Verbose: true})
			if err != nil {
				return err
			}
			conditions := []map[string]any{}
			for _, each := range answer.Status.Conditions {
				conditions = append(conditions, map[string]any{
					"message": each.Message, "reason": each.Reason, "status": each.Status, "type": each.Type,
				})
			}
			out := json.NewEncoder(os.Stdout)
			out.SetIndent("", "  ")
			return out.Encode(map[string]any{"status": map[string]any{"conditions": conditions}})
		})
	default:
		fail(fmt.Errorf("the stand-in for crictl does not know %q", os.Args[1]))
	}
}

func ask(question func(context.Context, cri.RuntimeServiceClient) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	connection, err := grpc.NewClient(endpoint(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err == nil {
		err = question(ctx, cri.NewRuntimeServiceClient(connection))
	}
	if err != nil {
		fail(err)
	}
}

func endpoint() string {
	text, err := os.ReadFile("/etc/crictl.yaml")
	found := regexp.MustCompile(`(?m)^runtime-endpoint: *"?([^"\n]+)"?`).FindSubmatch(text)
	if err != nil || found == nil {
		fail(fmt.Errorf("/etc/crictl.yaml names no runtime-endpoint"))
	}
	return string(found[1])
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
