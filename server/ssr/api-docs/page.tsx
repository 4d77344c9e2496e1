import type { ReactNode } from 'react';
import { Wordmark } from '#client/ui/brand.tsx';
import { ERRORS } from '#shared/errors.ts';
import { exampleOf, LANGUAGES, sampleOf, type Language } from './examples.ts';
import { GUIDE, type Block, type GuidePage } from './guide.ts';
import {
  boundsOf,
  fieldsOf,
  search,
  typeOf,
  type Field,
  type Operation,
  type Reference,
  type Tag,
} from './reference.ts';
import { WORDS } from './words.ts';

/** What a page of the reference is about. */
type Subject =
  | { readonly kind: 'guide'; readonly page: GuidePage }
  | { readonly kind: 'tag'; readonly tag: Tag }
  | { readonly kind: 'operation'; readonly operation: Operation; readonly language: Language }
  | { readonly kind: 'search'; readonly question: string }
  | { readonly kind: 'lost' };

interface Props {
  readonly app: string;
  readonly reference: Reference;
  readonly subject: Subject;
  /** Address of the installation, for examples. */
  readonly origin: string;
  /** Texts of error codes, by code. */
  readonly errorText: (code: string) => string;
}

/**
 * What an address of the reference is about. In: the path behind `/docs/api`, without slashes around it, and the query.
 * Out: null where there is nothing.
 */
export function subjectOf(reference: Reference, path: string, query: URLSearchParams): Subject | null {
  const question = query.get('q')?.slice(0, 100).trim() ?? '';
  if (path === '' && question !== '') return { kind: 'search', question };
  const page = GUIDE.find(({ slug }) => slug === (path || 'start'));
  if (page) return { kind: 'guide', page };
  const tag = reference.tags.find(({ slug }) => slug === path);
  if (tag) return { kind: 'tag', tag };
  const operation = reference.operations.get(path);
  const language = LANGUAGES.find((each) => each === query.get('language')) ?? 'curl';
  return operation ? { kind: 'operation', operation, language } : null;
}

/** The title of a page of the reference. */
export function titleOf(subject: Subject): string {
  if (subject.kind === 'guide') return subject.page.title;
  if (subject.kind === 'tag') return subject.tag.name;
  if (subject.kind === 'operation') return subject.operation.summary;
  return subject.kind === 'search' ? subject.question : WORDS.lost;
}

/** A page of the reference: parts at the side, what it is about, and an example beside it. Works without scripts. */
export function ApiDocs({ app, reference, subject, origin, errorText }: Props): ReactNode {
  const label = WORDS.searchFor(reference.operations.size);
  const own = subject.kind === 'operation' && subject.operation.caller !== 'browser';
  return (
    <>
      <a className="sp-skip" href="#main">
        {WORDS.skip}
      </a>
      <header className="sp-docs__top">
        <a href="/docs/api" aria-label={`${app} ${WORDS.title}`}>
          <Wordmark name={`${app} ${WORDS.title}`} />
        </a>
        <search>
          <form action="/docs/api">
            <input
              className="sp-input"
              type="search"
              name="q"
              maxLength={100}
              aria-label={label}
              placeholder={label}
              defaultValue={subject.kind === 'search' ? subject.question : ''}
            />
          </form>
        </search>
        <a className="sp-link sp-docs__jump" href="#parts">
          {WORDS.parts}
        </a>
        <a className="sp-link" href="/api/openapi.json">
          {WORDS.document}
        </a>
        <a className="sp-link" href="/">
          {WORDS.back}
        </a>
      </header>
      <div className="sp-docs" data-code={own || undefined}>
        <Side reference={reference} subject={subject} />
        <main className="sp-docs__main" id="main" tabIndex={-1}>
          {subject.kind === 'guide' && <Guide page={subject.page} origin={origin} errorText={errorText} />}
          {subject.kind === 'tag' && <TagPage tag={subject.tag} />}
          {subject.kind === 'operation' && <Call operation={subject.operation} errorText={errorText} />}
          {subject.kind === 'lost' && <h1>{WORDS.lost}</h1>}
          {subject.kind === 'search' && <Found reference={reference} question={subject.question} />}
        </main>
        {subject.kind === 'operation' && own && (
          <Example operation={subject.operation} language={subject.language} origin={origin} />
        )}
      </div>
    </>
  );
}

function Side({ reference, subject }: Pick<Props, 'reference' | 'subject'>): ReactNode {
  const current =
    subject.kind === 'tag' ? subject.tag.name : subject.kind === 'operation' ? subject.operation.tags[0] : undefined;
  return (
    <nav className="sp-docs__nav" id="parts" aria-label={WORDS.parts}>
      <h2>{WORDS.guide}</h2>
      <ul>
        {GUIDE.map((page) => (
          <li key={page.slug}>
            <a
              className="sp-ep"
              href={`/docs/api/${page.slug}`}
              aria-current={subject.kind === 'guide' && subject.page === page ? 'page' : undefined}
            >
              {page.title}
            </a>
          </li>
        ))}
      </ul>
      <h2>{WORDS.calls}</h2>
      <ul>
        {reference.tags.map((tag) => (
          <li key={tag.name}>
            <a
              className="sp-ep"
              href={`/docs/api/${tag.slug}`}
              aria-current={subject.kind === 'tag' && subject.tag === tag ? 'page' : undefined}
            >
              {tag.name}
            </a>
            {tag.name === current && <Calls operations={tag.operations} subject={subject} />}
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Calls({ operations, subject }: { operations: readonly Operation[]; subject?: Subject }): ReactNode {
  return (
    <ul>
      {operations.map((operation) => (
        <li key={operation.operationId}>
          <a
            className="sp-ep"
            href={`/docs/api/${operation.operationId}`}
            aria-current={subject?.kind === 'operation' && subject.operation === operation ? 'page' : undefined}
          >
            <Verb method={operation.method} />
            <span>{operation.summary}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

const Verb = ({ method }: { method: string }): ReactNode => (
  <span className="sp-verb" data-verb={method}>
    {method}
  </span>
);

function TagPage({ tag }: { tag: Tag }): ReactNode {
  return (
    <>
      <h1>{tag.name}</h1>
      <p>{tag.description}</p>
      <Calls operations={tag.operations} />
    </>
  );
}

function Found({ reference, question }: { reference: Reference; question: string }): ReactNode {
  const found = search(reference, question);
  if (found.length === 0)
    return (
      <>
        <h1>{WORDS.nothing(question)}</h1>
        <p>{WORDS.nothingText}</p>
      </>
    );
  return (
    <>
      <h1>{WORDS.found(found.length, question)}</h1>
      <Calls operations={found} />
    </>
  );
}

function Call({ operation, errorText }: { operation: Operation } & Pick<Props, 'errorText'>): ReactNode {
  const { summary, description, method, path, tags, parameters, requestBody, responses, caller } = operation;
  const { max, window_s: seconds, per } = operation['x-rate-limit'];
  const scope = operation['x-token-scope'];
  const access = operation['x-access'];
  const [[media, content] = []] = Object.entries(requestBody?.content ?? {});
  const answer = Object.entries((responses['200'] ?? responses['201'])?.content ?? {})[0];
  const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return (
    <>
      <p className="sp-muted sp-small">{tags[0]}</p>
      <h1>{summary}</h1>
      <p className="sp-ephead">
        <Verb method={method} />
        <code id="path">{path}</code>
        <Copy of="path" />
      </p>
      {description && <p>{inline(description)}</p>}
      <ul className="sp-docs__facts">
        <li className="sp-badge" data-tone={caller === 'browser' ? 'warning' : 'positive'}>
          {caller === 'browser' ? WORDS.browser : (scope ?? WORDS.open)}
        </li>
        {access?.startsWith('admin.') && <li className="sp-badge">{WORDS.access(access)}</li>}
        {operation.isIdempotent && <li className="sp-badge">{WORDS.idempotent}</li>}
        <li className="sp-badge">{WORDS.limit(max, seconds, per)}</li>
      </ul>
      {parameters.length > 0 && (
        <>
          <h2>{WORDS.parameters}</h2>
          <Fields
            fields={parameters.map(({ name, required, schema, description: about = '' }) => ({
              name,
              required,
              type: typeOf(schema),
              bounds: [boundsOf(schema), about].filter(Boolean).join(' · '),
            }))}
          />
        </>
      )}
      {content && media && (
        <>
          <h2>{WORDS.body}</h2>
          {media === 'application/json' ? <Fields fields={fieldsOf(content.schema)} /> : <p>{WORDS.bodyFile(media)}</p>}
        </>
      )}
      {answer && (
        <>
          <h2>{WORDS.answer}</h2>
          {answer[0] === 'application/json' ? (
            <Fields fields={fieldsOf(answer[1].schema)} noMarks />
          ) : (
            <p>{WORDS.answerFile(answer[0])}</p>
          )}
        </>
      )}
      <h2>{WORDS.errors}</h2>
      <Rows
        head={[WORDS.status, WORDS.code, WORDS.means]}
        rows={failures.flatMap(([status, { description: codes }]) =>
          codes.split(', ').map((code) => [status, `\`${code}\``, errorText(code)]),
        )}
      />
    </>
  );
}

function Fields({ fields, noMarks = false }: { fields: readonly Field[]; noMarks?: boolean }): ReactNode {
  if (fields.length === 0) return <p className="sp-muted">{'{ }'}</p>;
  return (
    <div className="sp-docs__table">
      <table>
        <tbody>
          {fields.map(({ name, type, required, bounds }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td className="sp-muted">{type}</td>
              {!noMarks && (
                <td>
                  {required ? (
                    <span className="sp-badge">{WORDS.required}</span>
                  ) : (
                    <span className="sp-muted">{WORDS.optional}</span>
                  )}
                </td>
              )}
              <td>{inline(bounds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Rows({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }): ReactNode {
  return (
    <div className="sp-docs__table">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join(' ')}>
              {row.map((cell, at) => (
                <td key={at}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Example({
  operation,
  language,
  origin,
}: {
  operation: Operation;
  language: Language;
  origin: string;
}): ReactNode {
  const answer = (operation.responses['200'] ?? operation.responses['201'])?.content?.['application/json']?.schema;
  return (
    <aside className="sp-docs__code" aria-label={WORDS.example}>
      <div className="sp-docs__ch">
        <nav className="sp-docs__langs" aria-label={WORDS.example}>
          {LANGUAGES.map((each) => (
            <a
              key={each}
              href={`/docs/api/${operation.operationId}?language=${each}`}
              aria-current={each === language ? 'true' : undefined}
            >
              {WORDS.languages[each]}
            </a>
          ))}
        </nav>
        <Copy of="example" />
      </div>
      <pre>
        <code id="example">{exampleOf(operation, language, origin)}</code>
      </pre>
      {answer && (
        <>
          <p className="sp-muted sp-small">{WORDS.exampleOfAnswer}</p>
          <pre>
            <code>{JSON.stringify({ success: true, error_code: null, ...Object(sampleOf(answer)) }, null, 2)}</code>
          </pre>
        </>
      )}
    </aside>
  );
}

const Copy = ({ of }: { of: string }): ReactNode => (
  <button
    type="button"
    className="sp-btn"
    data-variant="ghost"
    data-size="sm"
    data-copy={of}
    data-done={WORDS.copied}
    hidden
  >
    {WORDS.copy}
  </button>
);

function Guide({ page, origin, errorText }: { page: GuidePage } & Pick<Props, 'origin' | 'errorText'>): ReactNode {
  return (
    <>
      <h1>{page.title}</h1>
      {page.blocks.map((block, at) => (
        <BlockView key={at} block={block} origin={origin} />
      ))}
      {page.slug === 'errors' && (
        <Rows
          head={[WORDS.status, WORDS.code, WORDS.means]}
          rows={Object.entries(ERRORS).map(([code, status]) => [String(status), `\`${code}\``, errorText(code)])}
        />
      )}
    </>
  );
}

function BlockView({ block, origin }: { block: Block; origin: string }): ReactNode {
  if ('heading' in block) return <h2>{block.heading}</h2>;
  if ('code' in block)
    return (
      <>
        {block.file !== undefined && (
          <p className="sp-muted">
            <code>{block.file}</code>
          </p>
        )}
        <pre>
          <code>{block.code.replaceAll('{origin}', origin)}</code>
        </pre>
      </>
    );
  if ('list' in block)
    return (
      <ul>
        {block.list.map((item) => (
          <li key={item}>{inline(item)}</li>
        ))}
      </ul>
    );
  if ('rows' in block) return <Rows head={block.head} rows={block.rows} />;
  return <p>{inline(block.text)}</p>;
}

/** A text with what stands between backticks as code. */
function inline(text: string): ReactNode {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
