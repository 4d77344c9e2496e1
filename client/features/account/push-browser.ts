/** The worker that shows pushes (client/push-worker.ts). It sees no page: it lies below /assets/, and so does its scope. */
const WORKER = '/assets/push-worker.js';

/** What a browser says of pushes before it is asked to take any. */
export type PushAbility = 'able' | 'unable' | 'blocked';

/** Whether this browser can take pushes; only over HTTPS and on this machine do any. */
export function pushAbility(): PushAbility {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'unable';
  return Notification.permission === 'denied' ? 'blocked' : 'able';
}

/** Where a browser takes pushes, as the API takes it. */
interface Target {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/**
 * Has the browser ask its user whether they want pushes, and subscribe. To be called after a click. In: the public key
 * of the installation. Out: null where they said no. Throws what the browser throws.
 */
export async function subscribeBrowser(key: string): Promise<Target | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  const registration = await navigator.serviceWorker.register(WORKER);
  await whenActive(registration);
  // One that was made with another key takes nothing of ours.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = made.toJSON();
  return { endpoint: endpoint ?? '', p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' };
}

/** Has this browser take no pushes any more. */
export async function unsubscribeBrowser(): Promise<void> {
  const registration = await navigator.serviceWorker?.getRegistration(WORKER);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Waits until a worker works: a browser subscribes none before. */
function whenActive({ active, installing, waiting }: ServiceWorkerRegistration): Promise<void> {
  const coming = installing ?? waiting;
  if (active || !coming) return Promise.resolve();
  return new Promise((resolve) => {
    coming.addEventListener('statechange', () => coming.state === 'activated' && resolve());
  });
}
