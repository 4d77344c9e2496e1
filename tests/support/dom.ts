import { afterAll } from 'bun:test';
import { GlobalRegistrator } from '@happy-dom/global-registrator';
import { unstable_IdlePriority as IdlePriority, unstable_scheduleCallback as scheduleCallback } from 'scheduler';

/**
 * Gives the test file a document at `url` (about:blank unless told). Call it before the dynamic imports that need one.
 * After the last test the document goes away again, but only once React has nothing scheduled: its tasks would not find
 * the window they were made for.
 */
export function installDom(url?: string): void {
  GlobalRegistrator.register(url ? { url } : {});
  // This DOM does not know it yet; React sets it on the option that is chosen at first.
  if (!('defaultSelected' in HTMLOptionElement.prototype))
    Object.defineProperty(HTMLOptionElement.prototype, 'defaultSelected', {
      value: false,
      writable: true,
      configurable: true,
    });
  afterAll(async () => {
    // React's work comes before idle work, whatever its own urgency.
    await new Promise<void>((resolve) => scheduleCallback(IdlePriority, () => resolve()));
    await GlobalRegistrator.unregister();
  });
}
