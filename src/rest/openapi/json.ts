/** A JSON object of the OpenAPI document. */
export type Json = { [key: string]: unknown };
