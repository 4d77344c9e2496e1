import { useId, useRef, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { useBytesText } from '#client/lib/bytes-text.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { dialogs } from '#client/ui/dialogs.ts';
import { EmptyState } from '#client/ui/empty-state.tsx';
import { Icon } from '#client/ui/icon.tsx';
import type { IconName } from '#client/ui/icons.ts';
import { Menu } from '#client/ui/menu.tsx';
import { Progress } from '#client/ui/progress.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import { endpointUrl } from '#shared/contract/client.ts';
import type { ServerFile } from '#shared/contract/server-files.ts';
import type { ServerView } from '#shared/contract/server-views.ts';
import { WIRE } from '#shared/contract/wire.ts';
import { FILE_NAME_BYTES } from '#shared/schemas/server-files.ts';
import { FileBin } from './files-bin.tsx';
import { FileEditor } from './files-editor.tsx';
import { inFolder, useFolderActions } from './use-folder-actions.ts';
import { useFolder } from './use-folder.ts';
import { useFileUploads } from './use-file-uploads.ts';
import type { FileUpload } from './use-file-uploads.ts';

type View =
  { readonly kind: 'files' | 'bin' } | { readonly kind: 'text'; readonly path: string; readonly isNew: boolean };

/** The files of a server that runs here: folders, a text to edit, uploads, and the bin. */
export function ServerFiles({
  server,
  mayWrite = true,
}: Pick<FolderProps, 'server'> & { mayWrite?: boolean }): ReactNode {
  const t = useT('live');
  const [path, setPath] = useState('');
  const [view, setView] = useState<View>({ kind: 'files' });
  const showFiles = () => setView({ kind: 'files' });
  return (
    <Card
      title={t('files.title')}
      flush
      aside={
        view.kind === 'files' && (
          <Button size="sm" variant="ghost" icon="trash" onClick={() => setView({ kind: 'bin' })}>
            {t('files.bin')}
          </Button>
        )
      }
    >
      <div className="sp-files">
        {view.kind === 'files' && (
          <Folder
            server={server}
            mayWrite={mayWrite}
            path={path}
            onPath={setPath}
            onText={(at, isNew) => setView({ kind: 'text', path: at, isNew })}
          />
        )}
        {view.kind === 'text' && (
          <FileEditor
            key={view.path}
            id={server.id}
            path={view.path}
            isNew={view.isNew}
            mayWrite={mayWrite}
            onClose={showFiles}
          />
        )}
        {view.kind === 'bin' && <FileBin id={server.id} mayWrite={mayWrite} onClose={showFiles} />}
        <noscript>{t('files.noScripts')}</noscript>
      </div>
    </Card>
  );
}

interface FolderProps {
  readonly server: Pick<ServerView, 'id'>;
  readonly mayWrite: boolean;
  readonly path: string;
  readonly onPath: (path: string) => void;
  readonly onText: (path: string, isNew: boolean) => void;
}

function Folder({ server, mayWrite, path, onPath, onText }: FolderProps): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const [find, setFind] = useState('');
  const [isOver, setOver] = useState(false);
  const { listing, refused, reload, more } = useFolder(server.id, path, find.trim());
  const mayReplace = (name: string) =>
    dialogs.confirm({ title: t('files.replaceTitle', { name }), text: t('files.replaceText'), ok: t('files.replace') });
  const { uploads, add, resume, cancel } = useFileUploads({ id: server.id, mayReplace, onDone: () => void reload() });
  const { problem, setProblem, upload, ...actions } = useFolderActions({ id: server.id, path, reload, add });
  const go = (to: string): void => {
    setFind('');
    setProblem(null);
    onPath(to);
  };
  const open = (entry: ServerFile): void => {
    const at = inFolder(path, entry.name);
    if (entry.kind === 'folder' || entry.target === 'folder') go(at);
    else onText(at, false);
  };
  const shown = listing?.path === path ? listing : null;
  return (
    <div
      className="sp-files__drop"
      data-over={isOver || undefined}
      onDragOver={(event: DragEvent) => {
        event.preventDefault();
        setOver(mayWrite);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        if (mayWrite) upload([...event.dataTransfer.files]);
      }}
    >
      <Toolbar
        mayWrite={mayWrite}
        find={find}
        onFind={setFind}
        onNewFile={async () => {
          const at = await actions.askName(t('files.newFile'));
          if (at !== null) onText(at, true);
        }}
        onNewFolder={actions.createFolder}
        onUpload={upload}
      />
      <Trail path={path} onPath={go} />
      {problem !== null && (
        <Banner tone="danger" live>
          {problem}
        </Banner>
      )}
      {refused !== null && <Banner tone="warning">{errors.code(refused)}</Banner>}
      {shown?.work && (shown.work.state === 'running' || actions.hasBegun) && <Work work={shown.work} />}
      <Uploads uploads={uploads} onResume={resume} onCancel={cancel} />
      {shown && (
        <Rows id={server.id} mayWrite={mayWrite} path={path} entries={shown.entries} actions={{ ...actions, open }} />
      )}
      {shown?.total === 0 && (
        <EmptyState
          art="folder"
          title={t(find.trim() === '' ? 'files.empty' : 'files.none')}
          {...(find.trim() === '' && mayWrite ? { text: t('files.emptyText') } : {})}
        />
      )}
      {shown && shown.entries.length < shown.total && (
        <div className="sp-files__more">
          <Button size="sm" onClick={() => void more()}>
            {t('files.more')}
          </Button>
        </div>
      )}
      {shown && <Space used={shown.used} limit={shown.limit} />}
    </div>
  );
}

const WORK_TEXTS = {
  pack: { running: 'files.packing', done: 'files.packed' },
  unpack: { running: 'files.unpacking', done: 'files.unpacked' },
} as const;

/** What is being packed or unpacked, or how that ended. */
function Work({
  work,
}: {
  work: NonNullable<NonNullable<ReturnType<typeof useFolder>['listing']>['work']>;
}): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const { call, to: name, state, error } = work;
  if (state === 'failed')
    return (
      <Banner tone="danger" live>
        {t('files.workFailed', { name, reason: errors.code(error ?? '') })}
      </Banner>
    );
  return (
    <Banner tone={state === 'done' ? 'positive' : 'info'} live>
      {t(WORK_TEXTS[call][state], { name })}
    </Banner>
  );
}

function Toolbar(props: {
  mayWrite: boolean;
  find: string;
  onFind: (text: string) => void;
  onNewFile: () => Promise<void>;
  onNewFolder: () => Promise<void>;
  onUpload: (files: readonly File[]) => void;
}): ReactNode {
  const t = useT('live');
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="sp-files__bar">
      <TextInput
        type="search"
        icon="search"
        value={props.find}
        maxLength={FILE_NAME_BYTES}
        aria-label={t('files.find')}
        placeholder={t('files.find')}
        onChange={(event) => props.onFind(event.target.value)}
      />
      {props.mayWrite && (
        <div className="sp-btn-row">
          <Button size="sm" icon="plus" onClick={() => void props.onNewFile()}>
            {t('files.newFile')}
          </Button>
          <Button size="sm" icon="folder" onClick={() => void props.onNewFolder()}>
            {t('files.newFolder')}
          </Button>
          <Button size="sm" icon="upload" onClick={() => input.current?.click()}>
            {t('files.upload')}
          </Button>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            aria-label={t('files.upload')}
            onChange={(event) => {
              props.onUpload([...(event.target.files ?? [])]);
              event.target.value = '';
            }}
          />
        </div>
      )}
    </div>
  );
}

/** Where the folder is, each part a way up. */
function Trail({ path, onPath }: Pick<FolderProps, 'path' | 'onPath'>): ReactNode {
  const t = useT('live');
  const parts = path === '' ? [] : path.split('/');
  const steps = [
    { name: t('files.home'), to: '' },
    ...parts.map((name, at) => ({ name, to: parts.slice(0, at + 1).join('/') })),
  ];
  return (
    <nav className="sp-files__trail" aria-label={t('files.folder')}>
      <ol>
        {steps.map(({ name, to }) => (
          <li key={to}>
            {to === path ? (
              <span aria-current="true">{name}</span>
            ) : (
              <button type="button" onClick={() => onPath(to)}>
                {name}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface RowActions {
  readonly open: (entry: ServerFile) => void;
  readonly move: (entry: ServerFile) => Promise<void>;
  readonly pack: (entry: ServerFile) => Promise<void>;
  readonly unpack: (entry: ServerFile) => Promise<void>;
  readonly remove: (entry: ServerFile) => Promise<void>;
}
const iconOf = ({ kind, target, name }: ServerFile): IconName => {
  if (kind === 'folder' || target === 'folder') return 'folder';
  if (kind === 'link') return 'link';
  return /\.(?:zip|jar|gz|tar|xz|rar|7z)$/i.test(name) ? 'archive' : 'file';
};

function Rows(props: {
  id: string;
  mayWrite: boolean;
  path: string;
  entries: readonly ServerFile[];
  actions: RowActions;
}): ReactNode {
  const t = useT('live');
  const { id, mayWrite, path, entries, actions } = props;
  return (
    <ul className="sp-files__rows" aria-label={t('files.title')}>
      {entries.map((entry) => (
        <Row
          key={entry.name}
          id={id}
          mayWrite={mayWrite}
          at={inFolder(path, entry.name)}
          entry={entry}
          actions={actions}
        />
      ))}
    </ul>
  );
}

function Row(props: { id: string; mayWrite: boolean; at: string; entry: ServerFile; actions: RowActions }): ReactNode {
  const { id, mayWrite, at, entry, actions } = props;
  const t = useT('live');
  const format = useFormat();
  const bytes = useBytesText();
  const isFile = entry.kind === 'file' || entry.target === 'file';
  const opens = !entry.foreign && (isFile || entry.kind === 'folder' || entry.target === 'folder');
  const name = (
    <>
      <Icon name={iconOf(entry)} />
      <span>{entry.name}</span>
    </>
  );
  return (
    <li className="sp-files__row">
      {opens ? (
        <button type="button" className="sp-files__name" onClick={() => actions.open(entry)}>
          {name}
        </button>
      ) : (
        <span className="sp-files__name">{name}</span>
      )}
      <span className="sp-files__size">{entry.kind === 'file' && bytes(entry.size)}</span>
      <time className="sp-files__time" dateTime={entry.modified_at}>
        {format.dateTime(entry.modified_at)}
      </time>
      <span className="sp-files__acts">
        {isFile && !entry.foreign && (
          <a
            className="sp-btn"
            data-variant="ghost"
            data-icon-only=""
            data-size="sm"
            href={endpointUrl(WIRE.serverFiles.download, { params: { id }, query: { path: at } })}
            download
            aria-label={t('files.download', { name: entry.name })}
            title={t('files.download', { name: entry.name })}
          >
            <Icon name="download" />
          </a>
        )}
        {mayWrite && !entry.foreign && (
          <Menu
            size="sm"
            label={t('files.actions', { name: entry.name })}
            items={[
              { id: 'move', label: t('files.move'), icon: 'pencil', onSelect: () => void actions.move(entry) },
              ...(entry.kind === 'file' || entry.kind === 'folder'
                ? [
                    {
                      id: 'pack',
                      label: t('files.pack'),
                      icon: 'archive' as const,
                      onSelect: () => void actions.pack(entry),
                    },
                  ]
                : []),
              ...(entry.kind === 'file' && /\.(?:zip|jar|mcpack|mrpack)$/i.test(entry.name)
                ? [
                    {
                      id: 'unpack',
                      label: t('files.unpack'),
                      icon: 'folder' as const,
                      onSelect: () => void actions.unpack(entry),
                    },
                  ]
                : []),
              {
                id: 'delete',
                label: t('files.delete'),
                icon: 'trash',
                tone: 'danger',
                onSelect: () => void actions.remove(entry),
              },
            ]}
          />
        )}
      </span>
    </li>
  );
}

function Uploads(props: {
  uploads: readonly FileUpload[];
  onResume: (upload: FileUpload) => Promise<void>;
  onCancel: (upload: FileUpload) => Promise<void>;
}): ReactNode {
  const t = useT('live');
  const errors = useErrorText();
  const bytes = useBytesText();
  const id = useId();
  if (props.uploads.length === 0) return null;
  return (
    <ul className="sp-files__uploads" aria-label={t('files.uploads')}>
      {props.uploads.map((each) => {
        const { file, sent, refused, upload } = each;
        return (
          <li key={upload} aria-describedby={refused === null ? undefined : `${id}-${upload}`}>
            <Progress
              label={t('files.sent', { name: file.name, sent: bytes(sent), size: bytes(file.size) })}
              value={file.size === 0 ? 0 : sent / file.size}
            />
            {refused !== null && (
              <p className="sp-field__error" id={`${id}-${upload}`} role="alert">
                {errors.code(refused)}
              </p>
            )}
            <div className="sp-btn-row">
              {refused !== null && (
                <Button size="sm" icon="refresh" onClick={() => void props.onResume(each)}>
                  {t('files.goOn')}
                </Button>
              )}
              <Button size="sm" variant="ghost" icon="x" onClick={() => void props.onCancel(each)}>
                {t('files.cancel')}
              </Button>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Space({ used, limit }: { used: number | null; limit: number }): ReactNode {
  const t = useT('live');
  const bytes = useBytesText();
  return (
    <div className="sp-files__space">
      {used === null ? (
        <p className="sp-meta">{t('files.counting')}</p>
      ) : (
        <Progress
          label={t('files.used', { used: bytes(used), limit: bytes(limit) })}
          value={limit === 0 ? 1 : used / limit}
        />
      )}
    </div>
  );
}
