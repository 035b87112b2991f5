// Vault itself, kept in memory and unsealed, with the engines that the tests need. Its builds ship with every plugin
// there is; this one has those for keys and values, certificates and service accounts.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"

	log "github.com/hashicorp/go-hclog"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/logical/pki"
	"github.com/hashicorp/vault/helper/namespace"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

func main() {
	address := flag.String("address", "127.0.0.1:8200", "where to listen")
	token := flag.String("token", "", "the token that may do everything")
	flag.Parse()
	if err := run(*address, *token); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, token string) error {
	logger := log.New(&log.LoggerOptions{Output: os.Stderr, Level: log.Info})
	storage, err := inmem.NewInmem(nil, logger)
	if err != nil {
		return err
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           storage,
		StorageType:        "inmem",
		LogicalBackends:    map[string]logical.Factory{"kv": kv.Factory, "pki": pki.Factory},
		CredentialBackends: map[string]logical.Factory{"kubernetes": kubernetes.Factory},
		BuiltinRegistry:    noPlugins{},
		DisableMlock:       true,
		Logger:             logger,
	})
	if err != nil {
		return err
	}
	if err := unseal(core, token); err != nil {
		return err
	}
	return http.ListenAndServe(address, vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core:           core,
		ListenerConfig: &configutil.Listener{Address: address},
	}))
}

// Makes its keys, opens it with them, and gives root a token of the caller's choice.
func unseal(core *vault.Core, token string) error {
	ctx := namespace.RootContext(context.Background())
	made, err := core.Initialize(ctx, &vault.InitParams{
		BarrierConfig: &vault.SealConfig{SecretShares: 1, SecretThreshold: 1},
	})
	if err != nil {
		return err
	}
	if _, err := core.Unseal(made.SecretShares[0]); err != nil {
		return err
	}
	_, err = core.HandleRequest(ctx, &logical.Request{
		Operation:   logical.UpdateOperation,
		ClientToken: made.RootToken,
		Path:        "auth/token/create",
		Data: map[string]interface{}{
			"id":                token,
			"policies":          []string{"root"},
			"no_parent":         true,
			"no_default_policy": true,
		},
	})
	return err
}

// What there is has been built in.
type noPlugins struct{}

func (noPlugins) Contains(string, consts.PluginType) bool { return false }
func (noPlugins) Get(string, consts.PluginType) (func() (interface{}, error), bool) {
	return nil, false
}
func (noPlugins) Keys(consts.PluginType) []string                   { return nil }
func (noPlugins) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
func (noPlugins) DeprecationStatus(string, consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, true
}
