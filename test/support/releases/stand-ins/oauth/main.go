// A server of OAuth 2 tokens, made of the library of Ory Hydra: it gives signed tokens (JWT) to clients with a secret,
// says which tokens are its own, and shows the key of its signatures.
package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v3"
	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"
)

const keyName = "test"

func main() {
	address := flag.String("address", "127.0.0.1:4444", "where to listen")
	secret := flag.String("secret", "", "the secret of the clients client_secret_basic and client_secret_post, which log in as they are called")
	scopes := flag.String("scopes", "", "what they may ask for, between commas")
	audiences := flag.String("audiences", "", "for whom their tokens may be, between commas; for the first if nobody asks")
	flag.Parse()
	if err := run(*address, *secret, strings.Split(*scopes, ","), strings.Split(*audiences, ",")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, secret string, scopes, audiences []string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	config := &fosite.Config{
		AccessTokenIssuer:   "http://" + address,
		// Recorded tokens are shown to real brokers years later.
		AccessTokenLifespan: 20 * 365 * 24 * time.Hour,
		JWTScopeClaimKey:    jwt.JWTScopeFieldString,
		GlobalSecret:        []byte("of codes and refresh tokens, unused"),
		HashCost:            4,
	}
	hash, err := (&fosite.BCrypt{Config: config}).Hash(context.Background(), []byte(secret))
	if err != nil {
		return err
	}
	store := storage.NewMemoryStore()
	for _, method := range []string{"client_secret_basic", "client_secret_post"} {
		store.Clients[method] = &fosite.DefaultOpenIDConnectClient{
			DefaultClient: &fosite.DefaultClient{
				ID:         method,
				Secret:     hash,
				GrantTypes: []string{"client_credentials"},
				Scopes:     scopes,
				Audience:   audiences,
			},
			TokenEndpointAuthMethod: method,
		}
	}
	private := func(context.Context) (interface{}, error) { return key, nil }
	provider := compose.Compose(
		config,
		store,
		compose.NewOAuth2JWTStrategy(private, compose.NewOAuth2HMACStrategy(config), config),
		compose.OAuth2ClientCredentialsGrantFactory,
		compose.OAuth2TokenIntrospectionFactory,
	)
	http.HandleFunc("/token", func(answer http.ResponseWriter, request *http.Request) {
		give(provider, answer, request)
	})
	http.HandleFunc("/introspect", func(answer http.ResponseWriter, request *http.Request) {
		introspect(provider, answer, request)
	})
	http.HandleFunc("/keys", func(answer http.ResponseWriter, _ *http.Request) {
		public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: keyName, Algorithm: "RS256", Use: "sig"}
		json.NewEncoder(answer).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	})
	return http.ListenAndServe(address, nil)
}

func give(provider fosite.OAuth2Provider, answer http.ResponseWriter, request *http.Request) {
	ctx := request.Context()
	session := newSession()
	asked, err := provider.NewAccessRequest(ctx, request, session)
	if err != nil {
		provider.WriteAccessError(ctx, answer, asked, err)
		return
	}
	session.JWTClaims.Subject = asked.GetClient().GetID()
	for _, scope := range asked.GetRequestedScopes() {
		asked.GrantScope(scope)
	}
	audiences := asked.GetRequestedAudience()
	if len(audiences) == 0 {
		audiences = asked.GetClient().GetAudience()[:1]
	}
	for _, audience := range audiences {
		asked.GrantAudience(audience)
	}
	given, err := provider.NewAccessResponse(ctx, asked)
	if err != nil {
		provider.WriteAccessError(ctx, answer, asked, err)
		return
	}
	provider.WriteAccessResponse(ctx, answer, asked, given)
}

func introspect(provider fosite.OAuth2Provider, answer http.ResponseWriter, request *http.Request) {
	ctx := request.Context()
	found, err := provider.NewIntrospectionRequest(ctx, request, newSession())
	if err != nil {
		provider.WriteIntrospectionError(ctx, answer, err)
		return
	}
	provider.WriteIntrospectionResponse(ctx, answer, found)
}

func newSession() *oauth2.JWTSession {
	return &oauth2.JWTSession{
		JWTClaims: &jwt.JWTClaims{},
		JWTHeader: &jwt.Headers{Extra: map[string]interface{}{"kid": keyName}},
	}
}
