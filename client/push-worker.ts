import type { PushText } from '#shared/push.ts';

/**
 * The worker of the browser for pushes, a file of its own below /assets/ (scripts/client-build.ts), so that it sees no
 * page and answers no request. It shows what comes, opens the place of what is clicked, and says when the browser has
 * taken another address for its pushes.
 */
interface Worker {
  readonly registration: {
    showNotification(title: string, options: object): Promise<void>;
    readonly pushManager: { subscribe(options: object): Promise<PushSubscription> };
  };
  readonly clients: {
    matchAll(
      options: object,
    ): Promise<readonly { focus(): Promise<unknown>; navigate(url: string): Promise<unknown> }[]>;
    openWindow(url: string): Promise<unknown>;
  };
  readonly location: { readonly origin: string };
  addEventListener(name: string, run: (event: Happening) => void): void;
}
interface Happening {
  waitUntil(work: Promise<unknown>): void;
  readonly data?: { json(): unknown } | null;
  readonly notification?: { readonly data: unknown; close(): void };
  readonly oldSubscription?: { readonly options: { readonly applicationServerKey: ArrayBuffer | null } } | null;
}
// The project's types are those of pages: the global object of a worker has none here.
const worker = globalThis as unknown as Worker;

worker.addEventListener('push', (event) => {
  if (!event.data) return;
  const { title, body, path, tag } = event.data.json() as PushText;
  event.waitUntil(worker.registration.showNotification(title, { body, tag, icon: '/assets/icon.svg', data: path }));
});

worker.addEventListener('notificationclick', (event) => {
  const path = event.notification?.data;
  event.notification?.close();
  event.waitUntil(openPath(typeof path === 'string' ? path : '/'));
});

worker.addEventListener('pushsubscriptionchange', (event) => {
  const key = event.oldSubscription?.options.applicationServerKey;
  if (key) event.waitUntil(subscribeAgain(key));
});

/** Shows a path of the product in a window that is open, else in a new one. */
async function openPath(path: string): Promise<void> {
  const url = new URL(path, worker.location.origin);
  if (url.origin !== worker.location.origin) return;
  const [window] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  // A window that this worker does not control is not its to steer in every browser.
  const moved = window && (await window.navigate(url.href).catch(() => null));
  await (window && moved ? window.focus() : worker.clients.openWindow(url.href));
}

async function subscribeAgain(applicationServerKey: ArrayBuffer): Promise<void> {
  const made = await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = made.toJSON();
  await fetch('/api/account/push', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({ endpoint, p256dh: keys?.p256dh, auth: keys?.auth }),
  });
}
