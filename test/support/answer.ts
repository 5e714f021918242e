/** A response of the REST API. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The envelope; null without a body. */
  body: Envelope | null;
}

export interface Envelope {
  code: string;
  message: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response.
  data: any;
}
