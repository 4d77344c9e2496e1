import { useLayoutEffect, useRef, useState } from 'react';
import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useApi } from '#client/lib/use-api.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { ApiError } from '#shared/contract/client.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import type { ConfigProblemReason, RuntimeState } from '#shared/server-codes.ts';
import { cutAt, plainText, toSpans } from './console-text.ts';
import { useConsole } from './use-console.ts';
import type { ConsoleRow } from './use-console.ts';

/** Commands kept to be sent again, while the page is open: they may hold passwords. */
const MOST_COMMANDS = 50;
/** So close to its end, in pixels, a console follows what comes. */
const AT_END = 24;

/** The console of a server that runs here: its lines as they come, a search, and a line for commands. */
export function Console(props: { server: Pick<ServerView, 'id'>; maySend?: boolean }): ReactNode {
  const { server, maySend = true } = props;
  const t = useT('live');
  const { rows, away } = useConsole(server.id);
  const [query, setQuery] = useState('');
  const [paused, setPaused] = useState<readonly ConsoleRow[] | null>(null);
  const needle = query.trim();
  const all = paused ?? rows;
  const shown = needle === '' ? all : all.filter((row) => isFound(row, needle));
  return (
    <Card
      title={t('console.title')}
      flush
      aside={
        <Button
          size="sm"
          variant="ghost"
          icon={paused ? 'play' : 'pause'}
          onClick={() => setPaused(paused ? null : rows)}
        >
          {t(paused ? 'console.resume' : 'console.pause')}
        </Button>
      }
    >
      <div className="sp-console">
        <div className="sp-console__bar">
          <TextInput
            type="search"
            icon="search"
            value={query}
            aria-label={t('console.search')}
            placeholder={t('console.search')}
            onChange={(event) => setQuery(event.target.value)}
          />
          <output className="sp-meta">{needle !== '' && t('console.found', { count: shown.length })}</output>
        </div>
        {away && <Banner tone="warning">{t('console.away')}</Banner>}
        <Lines rows={shown} needle={needle} />
        <noscript>{t('console.noScripts')}</noscript>
        {maySend && <CommandLine id={server.id} />}
      </div>
    </Card>
  );
}

const isFound = (row: ConsoleRow, needle: string): boolean =>
  row.kind !== 'state' && row.kind !== 'config' && plainText(row.text).toLowerCase().includes(needle.toLowerCase());

/** The lines, which follow their end unless somebody scrolled away from it. */
function Lines({ rows, needle }: { rows: readonly ConsoleRow[]; needle: string }): ReactNode {
  const t = useT('live');
  const box = useRef<HTMLDivElement>(null);
  const [follows, setFollows] = useState(true);
  /** Width at the last look: what another width does to the place of the scroll bar is nobody's wish. */
  const width = useRef(0);
  // An effect, because the place of the scroll bar is the browser's.
  useLayoutEffect(() => {
    if (follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  });
  return (
    <div className="sp-console__frame">
      <div
        ref={box}
        className="sp-console__lines"
        role="log"
        aria-live="polite"
        aria-label={t('console.lines')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          const { scrollHeight, scrollTop, clientHeight, clientWidth } = currentTarget;
          const isTurned = width.current !== 0 && width.current !== clientWidth;
          width.current = clientWidth;
          if (isTurned && follows) currentTarget.scrollTop = scrollHeight;
          else setFollows(scrollHeight - scrollTop - clientHeight < AT_END);
        }}
      >
        {rows.length === 0 && needle === '' && <p className="sp-console__empty">{t('console.empty')}</p>}
        {rows.map((row) => (
          <Row key={row.seq} row={row} needle={needle} />
        ))}
      </div>
      {!follows && (
        <Button size="sm" icon="arrow-down" onClick={() => setFollows(true)}>
          {t('console.newest')}
        </Button>
      )}
    </div>
  );
}

function Row({ row, needle }: { row: ConsoleRow; needle: string }): ReactNode {
  const t = useT('live');
  const format = useFormat();
  return (
    <>
      {row.gap && needle === '' && <p className="sp-console__gap">{t('console.gap')}</p>}
      <p className="sp-console__line" data-kind={row.kind}>
        <time dateTime={row.at}>{format.time(row.at)}</time>
        <span>
          {row.kind === 'in' && <span aria-hidden="true">&gt; </span>}
          <LineContent row={row} needle={needle} />
        </span>
      </p>
    </>
  );
}

/** What a line says: in our own words where it is ours. */
function LineContent({ row, needle }: { row: ConsoleRow; needle: string }): ReactNode {
  const t = useT('live');
  if (row.kind === 'state') return t(`console.event.${row.text as RuntimeState}`);
  if (row.kind !== 'config') return <Text row={row} needle={needle} />;
  const [reason, ...path] = row.text.split(' ');
  return t(`console.config.${reason as ConfigProblemReason}`, { path: path.join(' ') });
}

function Text({ row, needle }: { row: ConsoleRow; needle: string }): ReactNode {
  if (needle !== '') {
    return cutAt(plainText(row.text), needle).map((piece, index) =>
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of a line never move
      index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece,
    );
  }
  return toSpans(row.text).map(({ text, look }, index) =>
    look === null ? (
      text
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the pieces of a line never move
      <span key={index} data-ansi={look}>
        {text}
      </span>
    ),
  );
}

/** The line for commands; the arrow keys bring back earlier ones. */
function CommandLine({ id }: { id: string }): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const api = useApi();
  const [text, setText] = useState('');
  const [sent, setSent] = useState<readonly string[]>([]);
  /** How far back in what was sent; 0: the line that is being written. */
  const [back, setBack] = useState(0);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const send = async (): Promise<void> => {
    if (!api || busy || text.trim() === '') return;
    setBusy(true);
    setRefused(null);
    try {
      await api.consoles.command({ params: { id }, body: { text } });
      setSent((before) => [...before.filter((each) => each !== text), text].slice(-MOST_COMMANDS));
      setText('');
      setBack(0);
    } catch (error) {
      setRefused(error instanceof ApiError ? error.code : 'SERVER_ERROR');
    } finally {
      setBusy(false);
    }
  };
  const move = (by: number): void => {
    const next = Math.max(0, Math.min(sent.length, back + by));
    setBack(next);
    setText(next === 0 ? '' : (sent[sent.length - next] ?? ''));
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    move(event.key === 'ArrowUp' ? 1 : -1);
  };
  return (
    <form
      className="sp-console__command"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
    >
      <TextInput
        mono
        value={text}
        maxLength={1000}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="send"
        aria-label={t('console.command')}
        aria-describedby={`console-hint-${id}`}
        placeholder={t('console.command')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKey}
      />
      <Button type="submit" variant="primary" icon="send" busy={busy}>
        {t('console.send')}
      </Button>
      <p className="sp-meta" id={`console-hint-${id}`}>
        {t('console.off')} {t('console.hint')}
      </p>
      {refused !== null && (
        <p className="sp-field__error" role="alert">
          {errors.code(refused)}
        </p>
      )}
    </form>
  );
}
