import { useEffect, useId, useRef, useState, useSyncExternalStore, type KeyboardEvent, type ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { journal, type ConsoleEntry } from '#client/lib/journal.ts';
import { maskText } from '#shared/mask.ts';
import { Button } from '#client/ui/button.tsx';
import { Segmented } from '#client/ui/segmented.tsx';
import { EmptyTab } from './parts.tsx';
import type { Command, Terminal } from './terminal.ts';
import { Tree } from './tree.tsx';

const LEVEL_FILTERS: Readonly<Record<string, (line: ConsoleEntry) => boolean>> = {
  all: () => true,
  problems: ({ level }) => level === 'warn' || level === 'error',
  start: ({ level }) => level === 'start',
};

/** New lines are announced; it scrolls, so it must be focusable. */
const LOG = { role: 'log', tabIndex: 0 } as const;

/** Console lines and commands in order; below them the input line. */
export function ConsoleTab({ terminal }: { terminal: Terminal }): ReactNode {
  const t = useT('debug');
  const lines = useSyncExternalStore(journal.subscribe, journal.lines);
  const commands = useSyncExternalStore(terminal.subscribe, terminal.commands);
  const [level, setLevel] = useState('all');
  const log = useRef<HTMLDivElement>(null);
  const kept = lines.filter(LEVEL_FILTERS[level] ?? (() => true));
  const all: readonly (ConsoleEntry | Command)[] = [...kept, ...(level === 'all' ? commands : [])].sort(
    (a, b) => a.atMs - b.atMs || a.id - b.id,
  );
  // An effect, because scrolling is the browser's: the newest line stays in view.
  const newest = all.at(-1);
  useEffect(() => {
    if (newest) log.current?.scrollTo({ top: log.current.scrollHeight });
  }, [newest]);
  return (
    <div className="sp-debug__list">
      <div className="sp-debug__tools">
        <Segmented
          label={t('levels')}
          name="sp-debug-level"
          value={level}
          onChange={setLevel}
          options={[
            { value: 'all', label: t('level.all') },
            { value: 'problems', label: t('level.problems') },
            { value: 'start', label: t('level.start') },
          ]}
        />
        <Button size="sm" variant="ghost" icon="trash" onClick={terminal.clear}>
          {t('clear')}
        </Button>
      </div>
      <div ref={log} {...LOG} className="sp-debug__log" aria-label={t('output')}>
        {all.length === 0 && <EmptyTab title={t('noLines')} text={t('warning')} />}
        {all.map((each) =>
          'level' in each ? (
            <Line key={`l${each.id}`} line={each} />
          ) : (
            <CommandResult key={`c${each.id}`} command={each} />
          ),
        )}
      </div>
      <Prompt terminal={terminal} />
    </div>
  );
}

function Line({ line }: { line: ConsoleEntry }): ReactNode {
  const t = useT('debug');
  const format = useFormat();
  return (
    <div className="sp-debug__line" data-level={line.level}>
      <span className="sp-debug__at">{t('ms', { value: format.number(Math.round(line.atMs)) })}</span>
      <span className="sp-debug__level">{line.level}</span>
      <span>{line.text}</span>
    </div>
  );
}

function CommandResult({ command: { code, outcome } }: { command: Command }): ReactNode {
  const t = useT('debug');
  return (
    <div className="sp-debug__ran">
      <div>
        <b aria-hidden="true">&gt;</b>
        <code>{maskText(code)}</code>
      </div>
      <div data-failed={(outcome !== 'help' && outcome?.ok === false) || undefined}>
        <i aria-hidden="true">&lt;</i>
        {outcome === null && <span className="sp-muted">{t('running')}</span>}
        {outcome === 'help' && <Help />}
        {outcome !== null && outcome !== 'help' && <Tree value={outcome.ok ? outcome.value : outcome.error} />}
      </div>
    </div>
  );
}

/** An example of code; it is not translated. */
const EXAMPLE = "(await fetch('/api/user/session')).status";

/** The terminal's help: its built-in commands and keys. */
function Help(): ReactNode {
  const t = useT('debug');
  const rows = [
    ['help', t('commands.help')],
    ['clear', t('commands.clear')],
    [t('commands.enterKey'), t('commands.enter')],
    [t('commands.shiftKey'), t('commands.shift')],
    ['↑ ↓', t('commands.arrows')],
  ] as const;
  return (
    <div className="sp-debug__help">
      <strong>{t('commands.title')}</strong>
      <p>
        {t('commands.code')} {t('commands.keep')}
      </p>
      <dl>
        {rows.map(([key, meaning]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p>
        {t('commands.example')} <code>{EXAMPLE}</code>
      </p>
      <p>{t('warning')}</p>
    </div>
  );
}

/** The input line: Enter runs, Shift+Enter breaks the line, arrows at its edges recall earlier commands. */
function Prompt({ terminal }: { terminal: Terminal }): ReactNode {
  const t = useT('debug');
  const id = useId();
  const [code, setCode] = useState('');
  /** How many steps back in the history; 0 is the current input. */
  const [back, setBack] = useState(0);
  const run = () => {
    if (code.trim() === '') return;
    void terminal.run(code);
    setCode('');
    setBack(0);
  };
  const recall = (steps: number) => {
    const history = terminal.history();
    const next = Math.min(Math.max(steps, 0), history.length);
    setBack(next);
    setCode(next === 0 ? '' : (history.at(-next) ?? ''));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const first = event.key === 'ArrowUp' && !value.slice(0, selectionStart).includes('\n');
    const last = event.key === 'ArrowDown' && back > 0 && !value.slice(selectionEnd).includes('\n');
    if (event.key !== 'Enter' && !first && !last) return;
    event.preventDefault();
    if (event.key === 'Enter') run();
    else recall(back + (first ? 1 : -1));
  };
  return (
    <form
      className="sp-debug__prompt"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <label htmlFor={id}>
        <span aria-hidden="true">&gt;</span>
        <span className="sp-sr">{t('terminal')}</span>
      </label>
      <textarea
        id={id}
        rows={Math.min(code.split('\n').length, 8)}
        value={code}
        placeholder={t('placeholder')}
        title={t('terminalHint')}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        onChange={(event) => {
          setCode(event.target.value);
          setBack(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Button type="submit" size="sm" icon="play">
        {t('run')}
      </Button>
    </form>
  );
}
