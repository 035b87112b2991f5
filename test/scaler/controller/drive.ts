import type { ScaledObjectController } from '../../../src/scaler/controller/scaled-object.ts';
import type { ScaledObject } from '../../../src/scaler/resources/scaled-object.ts';
import type { Fixture } from './fixture.ts';

interface Driven {
  readonly given: Fixture;
  readonly controller: ScaledObjectController;
}

/**
 * Lets a controller reconcile one object as the operator would.
 * @param failed Hears of reconciliations that fail; the operator tries those again.
 */
export function driving(key: string, driven: () => Driven, failed: (error: unknown) => void) {
  const { signal } = new AbortController();
  const reconcile = async () => {
    await driven().controller.reconcile(key, signal).catch(failed);
  };
  return {
    /** Puts an object there, and reconciles until it rests. */
    settle: async (object: ScaledObject) => {
      driven().given.state.objects.set(key, object);
      await reconcile();
      await reconcile();
    },
    /** The next poll. */
    pollAfter: async (seconds: number) => {
      driven().given.state.nowMs += seconds * 1000;
      await reconcile();
    },
  };
}
