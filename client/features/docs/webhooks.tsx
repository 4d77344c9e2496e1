import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { LoaderFunctionArgs } from 'react-router';
import { apiOf } from '#client/lib/api-context.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { DAY } from '#shared/time.ts';
import { VERIFY_PYTHON, VERIFY_TYPESCRIPT } from '#shared/webhook-samples.ts';
import { FAILING_MS, RETRY_PAUSES_MS } from '#shared/webhooks.ts';

/** Every event with its fields. */
export function loader(args: LoaderFunctionArgs) {
  return apiOf(args).webhookEvents.list();
}
type Event = Awaited<ReturnType<typeof loader>>['events'][number];

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
const REQUEST = `POST /webhooks HTTP/1.1
content-type: application/json
webhook-id: 01940000-0000-7000-8000-000000000000
webhook-timestamp: 1800000000
webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=

{
  "type": "server.renewed",
  "version": 1,
  "timestamp": "2027-01-15T08:00:00.000Z",
  "data": { "userId": "…", "serverId": "…", "cost": 40, "expiresMs": 1802592000000, "automatic": true }
}`;

/** /docs/webhooks: how programs receive events (behaviour 8.8). */
export default function WebhookDocsScreen(): ReactNode {
  const t = useT('webhookDocs');
  const format = useFormat();
  const { events } = useLoaderData<typeof loader>();
  const pauses = RETRY_PAUSES_MS.map((ms) => format.duration(ms)).join(', ');
  return (
    <article className="sp-docs">
      <header>
        <h1>{t('title')}</h1>
        <p className="sp-lead">{t('intro')}</p>
      </header>
      <section>
        <h2>{t('request')}</h2>
        <p>{t('requestText')}</p>
        <Code text={REQUEST} />
        <dl>
          {HEADERS.map((name) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{t(`header.${name}`)}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2>{t('verify')}</h2>
        <p>{t('verifyText')}</p>
        <h3>{t('typescript')}</h3>
        <Code text={VERIFY_TYPESCRIPT} />
        <h3>{t('python')}</h3>
        <Code text={VERIFY_PYTHON} />
      </section>
      <section>
        <h2>{t('answer')}</h2>
        <p>{t('answerText')}</p>
        <p>{t('retries', { pauses })}</p>
        <p>{t('limits', { count: FAILING_MS / DAY })}</p>
      </section>
      <section>
        <h2>{t('twice')}</h2>
        <p>{t('twiceText')}</p>
        <p>{t('orderText')}</p>
      </section>
      <section>
        <h2>{t('secret')}</h2>
        <p>{t('secretText')}</p>
      </section>
      <section>
        <h2>{t('events')}</h2>
        <p>{t('eventsText')}</p>
        {events.map((event) => (
          <EventEntry key={event.name} event={event} />
        ))}
      </section>
    </article>
  );
}

function Code({ text }: { text: string }): ReactNode {
  return (
    <pre className="sp-docs__code">
      <code>{text}</code>
    </pre>
  );
}

/** An event with an example of its data, and the schema of it. Its description is in one language, as the API's. */
function EventEntry({ event: { name, version, description, schema, example } }: { event: Event }): ReactNode {
  const t = useT('webhookDocs');
  return (
    <section className="sp-docs__event" id={name}>
      <h3>
        <code>{name}</code> <small>{t('version', { version })}</small>
      </h3>
      <p lang="en">{description}</p>
      <Code text={JSON.stringify(example, null, 2)} />
      <details>
        <summary>{t('schema')}</summary>
        <Code text={JSON.stringify(schema, null, 2)} />
      </details>
    </section>
  );
}
