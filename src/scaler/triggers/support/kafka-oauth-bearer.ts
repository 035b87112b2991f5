/**
 * The login of Kafka by SASL OAUTHBEARER (RFC 7628). That of the package takes a refusal, which is an answer as well, for a
 * success, and fails at the next request without a reason.
 */
import type { Authenticator, Mechanism } from 'kafkajs';

/** Gives a token of OAuth and what is sent with it. */
export type TokenProvider = () => Promise<{
  readonly value: string;
  readonly extensions: Readonly<Record<string, string>>;
}>;

/** What the package hands to the logins of others. */
type Exchange = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate'];

const SEPARATOR = '\u0001';

export function oauthBearer(token: TokenProvider): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }): Authenticator => ({
      authenticate: async () => logIn(await token(), saslAuthenticate),
    }),
  };
}

async function logIn(
  { value, extensions }: Awaited<ReturnType<TokenProvider>>,
  exchange: Exchange,
): Promise<void> {
  const pairs = Object.entries({ auth: `Bearer ${value}`, ...extensions });
  const fields = pairs.map(([name, content]) => `${name}=${content}${SEPARATOR}`);
  const refusal = await exchange({
    request: framed(`n,,${SEPARATOR}${fields.join('')}${SEPARATOR}`),
    response: { decode: (data: Buffer) => data, parse: unframed },
  });
  if (!refusal) return;
  // The broker ends the exchange once the client has taken note.
  await exchange({ request: framed(SEPARATOR) }).catch(() => {});
  throw new Error(`authentication failed: the broker refuses the token: ${reasonIn(refusal)}`);
}

/** The bytes of a login, after their number as Kafka's protocol has it. */
function framed(text: string): { encode: () => Buffer } {
  const size = Buffer.alloc(4);
  size.writeInt32BE(Buffer.byteLength(text));
  return { encode: () => Buffer.concat([size, Buffer.from(text)]) };
}

function unframed(data: Buffer): string {
  return data.subarray(4).toString();
}

/** The status of the refusal, a code; it is JSON (RFC 7628, 3.2.2). */
function reasonIn(refusal: string): string {
  return /"status"\s*:\s*"([\w-]{1,40})"/.exec(refusal)?.[1] ?? 'it says nothing more';
}
