import { read } from 'read';
import { InvalidInput } from '../shared/errors.ts';

/** Asks for a secret at the terminal without showing it. Throws InvalidInput where there is no terminal. */
export async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    const message = `"${question.trim()}" cannot be asked because there is no terminal`;
    throw InvalidInput.at(undefined, message, 'give the secret in a file or a script');
  }
  return read({ prompt: question, silent: true, output: process.stderr });
}

/** Asks for a new secret twice. Throws InvalidInput where the answers differ. */
export async function askNewSecret(question: string): Promise<string> {
  const secret = await askSecret(question);
  if ((await askSecret(`Confirm ${question}`)) === secret) return secret;
  throw InvalidInput.at(undefined, 'the two answers differ');
}
