import { isConflict } from './api-error.ts';

const MOST_ATTEMPTS = 5;

/** Does a reading and a writing again where somebody else has written in between. */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || attempts >= MOST_ATTEMPTS) throw error;
    }
  }
}
