import { connect, type PeerCertificate } from 'node:tls';
import { defineCheck, span, text, time, type HealthCheck } from '#server/modules/health/index.ts';
import type { Clock } from '#server/modules/kernel.ts';
import { DAY, HOUR } from '#shared/time.ts';

/** What a host shows when it is reached by TLS. */
interface ShownCertificate {
  readonly untilMs: number;
  /** Why browsers would not trust it; null where they do. */
  readonly fault: string | null;
}
interface Deps {
  readonly clock: Clock;
  /** Public address of the installation, as the environment has it: nobody in the browser can point it elsewhere. */
  readonly appUrl: string;
  /** Asks a host for its certificate; over the network when absent. Rejects where it cannot be reached. */
  readonly readCertificate?: (host: string, port: number, signal: AbortSignal) => Promise<ShownCertificate>;
}

/** A certificate that renews itself does so 30 days before its end: two weeks later something is wrong. */
const SOON_MS = 14 * DAY;
const LAST_MS = 3 * DAY;

/** The certificate of the public address, as a browser would see it; asked for once an hour. */
export function certificateCheck({ clock, appUrl, readCertificate = readShownCertificate }: Deps): HealthCheck {
  return defineCheck({
    key: 'certificate',
    codes: {
      ok: 'ok',
      none: 'ok',
      away: 'unknown',
      soon: 'warning',
      ending: 'critical',
      ended: 'critical',
      wrong: 'critical',
    },
    everyMs: HOUR,
    async run(signal) {
      const { protocol, hostname, port } = new URL(appUrl);
      if (protocol !== 'https:') return { code: 'none' };
      const host = text(hostname);
      let shown: ShownCertificate;
      try {
        shown = await readCertificate(hostname, Number(port) || 443, signal);
      } catch {
        return { code: 'away', facts: { host } };
      }
      const left = shown.untilMs - clock.now();
      const facts = { host, until: time(shown.untilMs), left: span(left), fault: text(shown.fault ?? '') };
      if (left <= 0) return { code: 'ended', facts, figure: 0 };
      if (shown.fault !== null) return { code: 'wrong', facts };
      return { code: left < LAST_MS ? 'ending' : left < SOON_MS ? 'soon' : 'ok', facts, figure: Math.round(left) };
    },
  });
}

function readShownCertificate(host: string, port: number, signal: AbortSignal): Promise<ShownCertificate> {
  return new Promise((resolve, reject) => {
    // Trust is looked at afterwards, so that an untrusted certificate can be told from no answer.
    const socket = connect({ host, port, servername: host, rejectUnauthorized: false }, () => {
      const certificate: Partial<PeerCertificate> = socket.getPeerCertificate();
      const untilMs = Date.parse(certificate.valid_to ?? '');
      const fault = socket.authorized ? null : String(socket.authorizationError);
      socket.destroy();
      if (Number.isFinite(untilMs)) resolve({ untilMs, fault });
      else reject(new Error('no certificate was shown'));
    });
    socket.once('error', reject);
    signal.addEventListener('abort', () => {
      socket.destroy();
      reject(new Error('gave up'));
    });
  });
}
