/** A source of a test's: answers over HTTP how long its queues are, to those who know the password. */
import { createServer, type Server } from 'node:http';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';

/** More characters than any queue needs to tell its length. */
const HUGE = 20 * 2 ** 20;

export class QueueServer {
  /** Length by name of the queue. */
  readonly lengths = new Map<string, number>();
  /** Absent: everybody may ask. */
  password: string | undefined;
  /** How often each queue was asked for. */
  readonly asked = new Map<string, number>();
  /** What is answered in place of a length. */
  answer: 'length' | 'garbage' | 'error' | 'silence' | 'huge' = 'length';
  #server: Server | undefined;
  #port = 0;

  /** @param host The address at which it listens. */
  async start(host = '127.0.0.1'): Promise<void> {
    const server = createServer((request, response) => {
      const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
      this.asked.set(name, (this.asked.get(name) ?? 0) + 1);
      if (this.answer === 'silence') return;
      if (
        this.password !== undefined &&
        request.headers.authorization !== `Bearer ${this.password}`
      ) {
        response.writeHead(401).end();
        return;
      }
      if (this.answer === 'error') response.writeHead(500);
      response.end(this.#text(name));
    });
    // Others must not get it while nobody listens.
    this.#port ||= await freePort();
    await new Promise<void>((resolve) => server.listen(this.#port, host, resolve));
    this.#server = server;
  }

  get port(): number {
    return this.#port;
  }

  /** Nobody listens from now on; `start` takes the same port again. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) =>
      server === undefined ? resolve() : server.close(() => resolve()),
    );
  }

  /** Waits until a queue was asked for so often again. */
  async untilAsked(name: string, times: number): Promise<void> {
    const count = () => this.asked.get(name) ?? 0;
    const wanted = count() + times;
    await until(
      () => count() >= wanted,
      () => `${name} was asked for ${count()} times and not ${wanted}`,
    );
  }

  #text(name: string): string {
    if (this.answer === 'garbage') return '{"length": "ma';
    const padding = this.answer === 'huge' ? ' '.repeat(HUGE) : '';
    return padding + JSON.stringify({ length: this.lengths.get(name) ?? 0 });
  }

  /** The trigger that reads a queue. */
  trigger(name: string, metadata: Readonly<Record<string, string>> = {}) {
    return {
      type: 'metrics-api',
      metadata: {
        url: `http://127.0.0.1:${this.#port}/${name}`,
        valueLocation: 'length',
        targetValue: '5',
        ...metadata,
      },
    };
  }
}
