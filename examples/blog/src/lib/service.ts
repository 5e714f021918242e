/** Requests to Daybook, on behalf of a visitor. */
import { print } from '@0no-co/graphql.web';
import type { TadaDocumentNode } from 'gql.tada';
import { graphql } from './graphql';
import type { Session, Tokens } from './session';

export const SERVICE_URL = (process.env.DAYBOOK_URL ?? 'http://localhost:4000').replace(/\/$/, '');
/** The address of the service for browsers, which load its images and feeds. */
export const PUBLIC_URL = (process.env.DAYBOOK_PUBLIC_URL ?? SERVICE_URL).replace(/\/$/, '');
export const TIMEOUT_MS = Number(process.env.DAYBOOK_TIMEOUT_MS ?? 10_000);

/** Large images are converted before the response. */
const UPLOAD_TIMEOUT_MS = 60_000;

/** The HTTP status of a page by the code of an error. Everything else is 400. */
const STATUS: Record<string, number> = {
  UNREACHABLE: 503,
  TIMED_OUT: 504,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 502,
  UNAUTHENTICATED: 401,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  TOKEN_EXPIRED: 401,
  RATE_LIMITED: 429,
  PRECONDITION_FAILED: 412,
  REVISION_CONFLICT: 409,
};

export class ServiceError extends Error {
  constructor(
    /** A key of docs/errors.md, `UNREACHABLE` or `TIMED_OUT`. */
    readonly code: string,
    /** In the language of the visitor, except without a response. */
    override readonly message = '',
    readonly fields: readonly { field: string; message: string }[] = [],
  ) {
    super(message);
  }

  get status(): number {
    if (this.code.endsWith('_NOT_FOUND')) return 404;
    if (/_FORBIDDEN$|_MISSING$|^MEMBER_SUSPENDED$|^BLOCKED$/.test(this.code)) return 403;
    return STATUS[this.code] ?? 400;
  }
}

interface Answer<Data> {
  data?: Data | null;
  errors?: { message: string; extensions: { code: string; errors?: { field: string; message: string }[] } }[];
}

/** A response of REST. */
interface Envelope {
  code: string;
  message: string;
  data: { id: string; url: string; errors?: { field: string; message: string }[] };
}

const REFRESH = graphql(`mutation Refresh($refreshToken: String!) {
  refreshTokens(refreshToken: $refreshToken) { accessToken refreshToken }
}`);

interface Options {
  /** Codes of errors that leave a part of the data null. */
  allow?: readonly string[];
  /** Repeating the request with the same key has no further effect. */
  key?: string | undefined;
}

type Signed<Variables> = Omit<Variables, 'signedIn'>;

export class Service {
  constructor(
    readonly session: Session,
    /** The headers of the visitor that the service needs: language, address and device. */
    readonly forwarded: Record<string, string>,
  ) {}

  /** Sends an operation. Its variable `signedIn`, if it has one, says whether there is a session. */
  async query<Data, Variables>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Signed<Variables>,
    { allow = [], key }: Options = {},
  ): Promise<Data> {
    const response = await this.fetch('/graphql', () => ({
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key && { 'Idempotency-Key': key }) },
      body: JSON.stringify({ query: textOf(document), variables: { ...variables, signedIn: this.session.isOpen } }),
    }));
    const { data, errors } = await read<Answer<Data>>(response);
    const error = errors?.find(({ extensions }) => !allow.includes(extensions.code));
    if (error) throw new ServiceError(error.extensions.code, error.message, error.extensions.errors);
    return data as Data;
  }

  /** Uploads an image. @returns its id and address */
  async upload(file: File): Promise<{ id: string; url: string }> {
    const response = await this.fetch('/api/images', () => {
      const body = new FormData();
      body.append('file', file);
      return { method: 'POST', body, signal: AbortSignal.timeout(UPLOAD_TIMEOUT_MS) };
    });
    const { code, message, data } = await read<Envelope>(response);
    if (!response.ok) throw new ServiceError(code, message, data?.errors);
    return data;
  }

  /** Like fetch, with the access token. If it has expired, or the session has ended, the request is sent again. */
  async fetch(path: string, init: () => RequestInit): Promise<Response> {
    const { session } = this;
    if (session.needsRenewal) await this.#renew();
    const response = await this.#send(path, init());
    if (response.status !== 401 || !session.accessToken) return response;
    const { code, errors } = await read<Envelope & Answer<unknown>>(response);
    if ((code ?? errors?.[0]?.extensions.code) === 'TOKEN_EXPIRED') await this.#renew();
    else session.end();
    return this.#send(path, init());
  }

  #renew(): Promise<void> {
    return this.session.renew(async (refreshToken): Promise<Tokens | null> => {
      const body = JSON.stringify({ query: textOf(REFRESH), variables: { refreshToken } });
      const response = await this.#send(
        '/graphql',
        { method: 'POST', headers: { 'Content-Type': 'application/json' }, body },
        false,
      );
      const { data, errors } = await read<Answer<{ refreshTokens: Tokens }>>(response);
      const code = errors?.[0]?.extensions.code;
      if (code === 'REFRESH_TOKEN_INVALID' || code === 'UNAUTHENTICATED') return null;
      if (!data) throw new ServiceError(code ?? 'INTERNAL_ERROR', errors?.[0]?.message);
      return data.refreshTokens;
    });
  }

  async #send(path: string, init: RequestInit, withToken = true): Promise<Response> {
    const { accessToken } = this.session;
    const headers = {
      ...this.forwarded,
      ...(init.headers as Record<string, string>),
      ...(withToken && accessToken && { Authorization: `Bearer ${accessToken}` }),
    };
    try {
      return await fetch(SERVICE_URL + path, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init, headers });
    } catch (error) {
      const { name, cause } = error as Error;
      // Without a cause, nothing was sent: the visitor gave a value that no header can have.
      if (name === 'TypeError' && !cause) throw new ServiceError('BAD_REQUEST');
      throw new ServiceError(name === 'TimeoutError' ? 'TIMED_OUT' : 'UNREACHABLE');
    }
  }
}

async function read<Body>(response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body;
  } catch {
    // The connection broke, or something else than the service responded, such as a proxy whose service is down.
    throw new ServiceError('UNREACHABLE');
  }
}

const texts = new WeakMap<object, string>();

/** The text of a document: the same one each time, which the service knows then. */
function textOf(document: TadaDocumentNode<unknown, never> | object): string {
  const text = texts.get(document) ?? print(document as Parameters<typeof print>[0]);
  texts.set(document, text);
  return text;
}
