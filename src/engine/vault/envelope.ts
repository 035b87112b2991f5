/** The text form of vault data: a header line, then hex in lines of 80 columns. */
export interface Envelope {
  readonly salt: Buffer;
  readonly hmac: Buffer;
  readonly ciphertext: Buffer;
  /** The vault id of a 1.2 header. */
  readonly label?: string | undefined;
}

const MAGIC = '$ANSIBLE_VAULT';
const COLUMNS = 80;

/** Whether a text or a file's content is vault data. */
export function isVault(data: string | Buffer): boolean {
  const start = data.slice(0, MAGIC.length + 1);
  return start.toString() === `${MAGIC};`;
}

/** Takes vault text apart. Throws SyntaxError that says what is wrong with it. */
export function parseEnvelope(text: string): Envelope {
  const [header = '', ...body] = text.trim().split(/\r?\n/);
  const [magic, version = '', cipher = '', label] = header.split(';').map((field) => field.trim());
  if (magic !== MAGIC) throw new SyntaxError('it does not begin with $ANSIBLE_VAULT');
  if (version !== '1.1' && version !== '1.2') {
    throw new SyntaxError(`its format version ${version} is not supported`);
  }
  if (cipher !== 'AES256') throw new SyntaxError(`its cipher ${cipher} is not supported`);
  const inner = fromHex(body.map((line) => line.trim()).join('')).toString('latin1');
  const [salt, hmac, ciphertext] = inner.split('\n').map(fromHex);
  if (salt === undefined || hmac === undefined || ciphertext === undefined) {
    throw new SyntaxError('it is cut short');
  }
  return { salt, hmac, ciphertext, label: version === '1.2' ? label : undefined };
}

/** Vault text ending in a newline: 1.2 with a label, 1.1 without. */
export function formatEnvelope({ salt, hmac, ciphertext, label }: Envelope): string {
  const fields = label === undefined ? [MAGIC, '1.1', 'AES256'] : [MAGIC, '1.2', 'AES256', label];
  const inner = [salt, hmac, ciphertext].map((part) => part.toString('hex')).join('\n');
  const body = Buffer.from(inner, 'latin1').toString('hex');
  const lines = body.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? [];
  return [fields.join(';'), ...lines, ''].join('\n');
}

function fromHex(text: string): Buffer {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    throw new SyntaxError('its body is not hexadecimal');
  }
  return Buffer.from(text, 'hex');
}
