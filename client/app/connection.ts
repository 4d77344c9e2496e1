import { retryDelayS } from '#client/lib/reconnect.ts';

/**
 * `up`; `shaky`: the server did not answer, a banner says so; `lost`: for over a minute, the page of the lost
 * connection takes over.
 */
type ConnectionState = 'up' | 'shaky' | 'lost';

/** How long the banner is shown before the page of the lost connection, in ms. */
const LOST_AFTER_MS = 60_000;

interface ConnectionPorts {
  /** Whether the server answers now. */
  probe(): Promise<boolean>;
  wait(ms: number): Promise<void>;
  nowMs(): number;
  /** The connection is lost: called once each time. */
  onLost(): void;
}

export interface Connection {
  get(): ConnectionState;
  subscribe(listener: () => void): () => void;
  /** A request got no response, or the live stream broke: probes the server until it responds. */
  reportFailure(): void;
  /** The server responded. */
  reportAnswer(): void;
}

/** Tracks whether the server is reachable. It sends nothing by itself until a failure is reported. */
export function createConnection(ports: ConnectionPorts): Connection {
  let state: ConnectionState = 'up';
  let watch = 0;
  let watching = false;
  const listeners = new Set<() => void>();
  const set = (next: ConnectionState) => {
    if (next === state) return;
    state = next;
    listeners.forEach((listener) => listener());
  };
  const recover = () => {
    watching = false;
    watch += 1;
    set('up');
  };

  const probe = async (own: number) => {
    const began = ports.nowMs();
    for (let attempt = 0; ; attempt += 1) {
      if (await ports.probe()) {
        if (own === watch) recover();
        return;
      }
      if (own !== watch) return;
      if (state === 'up') set('shaky');
      if (state === 'shaky' && ports.nowMs() - began >= LOST_AFTER_MS) {
        set('lost');
        ports.onLost();
      }
      await ports.wait(retryDelayS(attempt) * 1000);
      if (own !== watch) return;
    }
  };

  return {
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    reportFailure: () => {
      if (watching) return;
      watching = true;
      void probe(watch);
    },
    reportAnswer: () => {
      if (watching) recover();
    },
  };
}
