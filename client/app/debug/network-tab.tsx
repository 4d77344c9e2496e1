import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { journal, type RequestEntry } from '#client/lib/journal.ts';
import { Button } from '#client/ui/button.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { BodyText, CopyText, EmptyTab, Scroller, useTimeOfDay } from './parts.tsx';
import { requestText } from './report.ts';

/** An error status, or no response at all. */
const hasFailed = ({ status, tookMs }: RequestEntry) => (status === null ? tookMs !== null : status >= 400);

/** Every request of the page, newest first, with request and response bodies. */
export function NetworkTab(): ReactNode {
  const t = useT('debug');
  const requests = useSyncExternalStore(journal.subscribe, journal.requests);
  const [words, setWords] = useState('');
  const [only, setOnly] = useState('all');
  const [picked, setPicked] = useState<number | null>(null);
  const wanted = words.trim().toLowerCase();
  const rows = requests.filter(
    (entry) =>
      (only === 'all' || hasFailed(entry)) &&
      `${entry.method} ${entry.url} ${entry.status ?? ''}`.toLowerCase().includes(wanted),
  );
  const current = requests.find(({ id }) => id === picked);
  return (
    <div className="sp-debug__split">
      <div className="sp-debug__list">
        <div className="sp-debug__tools">
          <span className="sp-input-group" data-icon="">
            <Icon name="search" size="sm" />
            <input
              className="sp-input"
              type="search"
              aria-label={t('filterRequests')}
              placeholder={t('filter')}
              value={words}
              onChange={(event) => setWords(event.target.value)}
            />
          </span>
          <Segmented
            label={t('show')}
            name="sp-debug-show"
            value={only}
            onChange={setOnly}
            options={[
              { value: 'all', label: t('all') },
              { value: 'failed', label: t('failed') },
            ]}
          />
          <Button size="sm" variant="ghost" icon="trash" onClick={() => journal.clear('requests')}>
            {t('clear')}
          </Button>
        </div>
        {requests.length === 0 && <EmptyTab title={t('noRequests')} text={t('noRequestsText')} />}
        {requests.length > 0 && rows.length === 0 && <EmptyTab title={t('noMatch')} />}
        {rows.length > 0 && (
          <ul className="sp-debug__rows" aria-label={t('requests')}>
            {rows.map((entry) => (
              <li key={entry.id}>
                <Row entry={entry} current={entry.id === picked} onPick={() => setPicked(entry.id)} />
              </li>
            ))}
          </ul>
        )}
      </div>
      {current ? <Detail entry={current} /> : rows.length > 0 && <EmptyTab title={t('pickRequest')} />}
    </div>
  );
}

function Row({ entry, current, onPick }: { entry: RequestEntry; current: boolean; onPick: () => void }): ReactNode {
  const t = useT('debug');
  const format = useFormat();
  const clock = useTimeOfDay();
  return (
    <button type="button" className="sp-debug__req" aria-current={current || undefined} onClick={onPick}>
      <span className="sp-muted">{entry.method}</span>
      <code className="sp-truncate">{entry.url}</code>
      <Status entry={entry} />
      <span className="sp-debug__at">
        {entry.tookMs === null ? '' : t('ms', { value: format.number(Math.round(entry.tookMs)) })}
      </span>
      <span className="sp-debug__at">{clock(entry.atMs)}</span>
    </button>
  );
}

function Status({ entry }: { entry: RequestEntry }): ReactNode {
  const t = useT('debug');
  const { status, statusText, tookMs } = entry;
  if (status === null)
    return (
      <span className="sp-debug__http" data-class={tookMs === null ? 'none' : '5'}>
        {t(tookMs === null ? 'pending' : 'noAnswer')}
      </span>
    );
  return (
    <span className="sp-debug__http" data-class={String(status)[0]}>
      {`${status} ${statusText}`.trimEnd()}
    </span>
  );
}

function Detail({ entry }: { entry: RequestEntry }): ReactNode {
  const t = useT('debug');
  const format = useFormat();
  const clock = useTimeOfDay();
  const { method, url, status, statusText, requestBody, responseBody, requestId, tookMs, atMs } = entry;
  return (
    <div className="sp-debug__detail">
      <div className="sp-debug__head">
        <span className="sp-muted">{method}</span>
        <code>{url}</code>
        <Status entry={entry} />
        <CopyText text={() => requestText(entry, t)} />
      </div>
      <Scroller label={`${method} ${url}`}>
        <dl className="sp-debug__facts">
          <dt>{t('began')}</dt>
          <dd>{clock(atMs)}</dd>
          {tookMs !== null && (
            <>
              <dt>{t('took')}</dt>
              <dd>{t('ms', { value: format.number(Math.round(tookMs)) })}</dd>
            </>
          )}
          {requestId !== '' && (
            <>
              <dt>{t('requestId')}</dt>
              <dd>
                <code>{requestId}</code>
              </dd>
            </>
          )}
          {status === null && statusText !== '' && (
            <>
              <dt>{t('reason')}</dt>
              <dd>{statusText}</dd>
            </>
          )}
        </dl>
        <h2>{t('request')}</h2>
        <BodyText text={requestBody} />
        <h2>{t('response')}</h2>
        <BodyText text={responseBody} />
      </Scroller>
    </div>
  );
}
