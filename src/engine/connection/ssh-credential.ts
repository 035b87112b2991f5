/** Credentials in the shapes of the ssh2 library. */
import ssh2, { type AnyAuthMethod, type BaseAgent, type ParsedKey } from 'ssh2';
import type { Credential, KeyReader } from './ssh-login.ts';
import { rememberKeys } from './ssh-passphrase.ts';

const parseKey = rememberKeys((key, passphrase) => ssh2.utils.parseKey(key, passphrase));

/** Tells whether a private key can be read, or needs a passphrase. */
export const readKey: KeyReader = (key, passphrase) => {
  const parsed = parseKey(key, passphrase);
  if (!(parsed instanceof Error)) return parsed.isPrivateKey() ? 'open' : 'unreadable';
  return /passphrase|decrypt|integrity/i.test(parsed.message) ? 'locked' : 'unreadable';
};

/** What the library is to offer to the host. */
export function authMethod(credential: Credential, username: string): AnyAuthMethod {
  if (credential.kind === 'agent') return { type: 'agent', username, agent: agentOf(credential) };
  if (credential.kind === 'publickey') {
    const parsed = parseKey(credential.key, credential.passphrase);
    return { type: 'publickey', username, key: parsed instanceof Error ? credential.key : parsed };
  }
  const { password } = credential;
  if (credential.kind === 'password') return { type: 'password', username, password };
  return {
    type: 'keyboard-interactive',
    username,
    prompt: (_name, _instructions, _lang, prompts, finish) => finish(prompts.map(() => password)),
  };
}

/** An agent, of which only the chosen keys are used. */
function agentOf({ socket, only }: Credential & { kind: 'agent' }): BaseAgent {
  const agent = ssh2.createAgent(socket);
  if (only === undefined) return agent;
  const list = agent.getIdentities.bind(agent);
  agent.getIdentities = (answer) =>
    list((error, keys) =>
      answer(
        error,
        keys?.filter((key) => isChosen(key, only)),
      ),
    );
  return agent;
}

function isChosen(key: unknown, only: ReadonlySet<string>): boolean {
  // An agent lists parsed keys; the declared type has more shapes than the library makes.
  return only.has((key as ParsedKey).getPublicSSH().toString('base64'));
}
