/// <reference types="astro/client" />

declare namespace App {
  interface Locals {
    service: import('./lib/service').Service;
    language: import('./lib/texts').Language;
    t: import('./lib/texts').Texts;
    /** The fields of a submitted form. */
    form: FormData | null;
    /** Whether a script sent the request, and gets JSON. */
    wantsJson: boolean;
    /** Why the page could not be shown. Only for /problem. */
    problem?: import('./lib/service').ServiceError;
  }
}
