import type * as z from 'zod/mini';
import { ApiError } from '#shared/contract/client.ts';
import type { BanNotice, ErrorCode, FieldErrors } from '#shared/errors.ts';
import { fieldErrors } from '#shared/validation.ts';

/**
 * What an action returns when it fails: a code for the whole form, codes by field, and what was typed (without
 * passwords).
 */
export interface FormFailure {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly fields: FieldErrors;
  readonly values: Readonly<Record<string, string>>;
  /** Every value of each field that was sent, without long ones: which boxes were ticked. */
  readonly chosen?: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  /** With ACCOUNT_BANNED: why, until when, and where to appeal. */
  readonly ban?: BanNotice;
}
interface FormSuccess<T> {
  readonly ok: true;
  readonly result: T;
  /** Differs for each success, so that a form can reset itself. */
  readonly at: string;
}
export type FormResult<T> = FormFailure | FormSuccess<T>;

type Shape = Readonly<Record<string, z.ZodMiniType>>;
interface ObjectSchema {
  readonly shape: Shape;
}

/** The innermost type of a field's schema: what the form's text is converted to. */
function kindOf(schema: z.core.$ZodType): string {
  const def = schema._zod.def as {
    type: string;
    innerType?: z.core.$ZodType;
    in?: z.core.$ZodType;
    values?: readonly unknown[];
  };
  if (def.innerType) return kindOf(def.innerType);
  if (def.type === 'literal' && def.values?.every((value) => typeof value === 'boolean')) return 'boolean';
  return def.type;
}

function isOptional(schema: z.core.$ZodType): boolean {
  return ['optional', 'nullable', 'default'].includes(schema._zod.def.type);
}

/** Whether null says that there is none; such a field may be optional as well. */
function isNullable(schema: z.core.$ZodType): boolean {
  const def = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  return (
    def.type === 'nullable' || (def.type === 'optional' && def.innerType !== undefined && isNullable(def.innerType))
  );
}

/**
 * Converts a form's texts to the types of its schema. Only plain digits become numbers; anything else stays text, which
 * the schema rejects.
 */
export function readForm(schema: ObjectSchema, form: FormData): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const kind = kindOf(field);
    if (kind === 'boolean') {
      values[name] = form.get(name) === 'on' || form.get(name) === 'true';
      continue;
    }
    if (kind === 'record') {
      const prefix = `${name}.`;
      values[name] = Object.fromEntries(
        [...form.entries()]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, value]) => [key.slice(prefix.length), String(value)]),
      );
      continue;
    }
    if (kind === 'array') {
      // A form that does not have the field says nothing of it; one without a box that is ticked says: none.
      if (isOptional(field) && !form.has(name)) continue;
      values[name] = form.getAll(name).map(String);
      continue;
    }
    const raw = form.get(name);
    if (raw === null || typeof raw !== 'string') continue;
    if (raw === '' && isOptional(field)) {
      if (isNullable(field)) values[name] = null;
      continue;
    }
    values[name] = kind === 'number' && /^-?\d{1,15}$/.test(raw.trim()) ? Number(raw.trim()) : raw;
  }
  return values;
}

/** What was typed, to restore the form; passwords and internal fields (leading underscore) are left out. */
function typedValues(form: FormData): Required<Pick<FormFailure, 'values' | 'chosen'>> {
  const typed = [...form.entries()].flatMap(([name, value]) =>
    typeof value === 'string' && !/password|current|^_/.test(name) ? [[name, value] as const] : [],
  );
  const chosen = Map.groupBy(typed, ([name]) => name);
  const shortOf = (fields: typeof typed) =>
    fields.map(([, value]) => value).filter((value) => value.length <= CHOICE_MAX);
  return {
    values: Object.fromEntries(typed),
    chosen: Object.fromEntries([...chosen].map(([name, fields]) => [name, shortOf(fields)])),
  };
}
/** Longest value of a box: an id, or a word of ours. */
const CHOICE_MAX = 100;

/** Converts a failed API call to the result of an action. Anything but an ApiError is rethrown. */
export function toFormFailure(error: unknown, form: FormData): FormFailure {
  if (!(error instanceof ApiError)) throw error;
  return {
    ok: false,
    code: error.code,
    fields: error.fields,
    ...typedValues(form),
    requestId: error.requestId,
    retryAfterS: error.retryAfterS,
    ...(error.ban ? { ban: error.ban } : {}),
  };
}

/**
 * The body of an action: parses the form with the schema, returns field codes if that fails, otherwise submits.
 * `submit` gets the parsed body and the form's idempotency key (field `_key`). Redirects thrown or returned by it pass
 * through.
 */
export async function submitForm<S extends z.ZodMiniType & ObjectSchema, T>(
  request: Request,
  schema: S,
  submit: (body: z.output<S>, key: string | undefined, form: FormData) => Promise<T>,
): Promise<FormResult<T> | (T & Response)> {
  const form = await request.formData();
  const parsed = (schema as z.ZodMiniType<z.output<S>>).safeParse(readForm(schema, form), { reportInput: true });
  if (!parsed.success) {
    return {
      ok: false,
      code: 'VALIDATION_FAILED',
      fields: fieldErrors(parsed.error),
      ...typedValues(form),
      requestId: null,
      retryAfterS: null,
    };
  }
  const key = form.get('_key');
  try {
    const result = await submit(parsed.data, typeof key === 'string' && key ? key : undefined, form);
    if (result instanceof Response) return result;
    return { ok: true, result, at: typeof key === 'string' ? key : '' };
  } catch (error) {
    return toFormFailure(error, form);
  }
}
