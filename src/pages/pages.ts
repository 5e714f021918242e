/** Static pages: links in emails, passkeys, the REST reference (Swagger UI) and GraphiQL. All resources are served from this origin. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Asset } from './asset.js';
import { STATIC_POLICY } from './page.js';

const PUBLIC = fileURLToPath(new URL('../../../public/', import.meta.url));
/** Files of packages, copied by the build (`scripts/assets.js`). */
const ASSETS = fileURLToPath(new URL('../../assets/', import.meta.url));

const HTML = 'text/html; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const PICTURE = 'image/svg+xml';

const OWN = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** Scripts send the forms. */
const FORM = `${STATIC_POLICY}; script-src 'self'; connect-src 'self'`;
/** Swagger UI and the GraphiQL editor use inline styles, and images and fonts in `data:` URLs. */
const APPLICATION = `${OWN}; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; connect-src 'self'`;

/** The path and the content of each page and of its files. */
export const PAGE_ASSETS: readonly (readonly [path: string, asset: Asset])[] = [
  ['/front.css', publicFile('front.css', STYLE)],
  ['/theme.css', publicFile('theme.css', STYLE)],
  ['/bar.css', publicFile('bar.css', STYLE)],
  ['/icon.svg', publicFile('icon.svg', PICTURE)],
  // Requested by clients that do not read the page.
  ['/favicon.ico', publicFile('icon.svg', PICTURE)],
  ['/oauth/callback', publicFile('oauth-callback.html', HTML, STATIC_POLICY)],
  ['/account/reset', publicFile('account-link.html', HTML, FORM)],
  ['/account/confirm', publicFile('account-link.html', HTML, FORM)],
  ['/account/undo', publicFile('account-link.html', HTML, FORM)],
  ['/account/account.css', publicFile('account.css', STYLE)],
  ['/account/page.js', publicFile('account-page.js', SCRIPT)],
  ['/account/link.js', publicFile('account-link.js', SCRIPT)],
  ['/account/link-texts.js', publicFile('account-link-texts.js', SCRIPT)],
  ['/account/passkeys', publicFile('passkeys.html', HTML, FORM)],
  ['/account/passkeys.css', publicFile('passkeys.css', STYLE)],
  ['/account/passkeys.js', publicFile('passkeys.js', SCRIPT)],
  ['/account/passkey-ceremonies.js', publicFile('passkey-ceremonies.js', SCRIPT)],
  ['/account/passkey-texts.js', publicFile('passkey-texts.js', SCRIPT)],
  ['/docs', publicFile('reference.html', HTML, APPLICATION)],
  ['/docs/reference.css', publicFile('reference.css', STYLE)],
  ['/docs/reference.js', publicFile('reference.js', SCRIPT)],
  ['/docs/swagger-ui.css', copied('swagger-ui/swagger-ui.css', STYLE)],
  ['/docs/swagger-ui-bundle.js', copied('swagger-ui/swagger-ui-bundle.js', SCRIPT)],
  ['/graphiql', publicFile('explorer.html', HTML, APPLICATION)],
  ['/graphiql/explorer.css', publicFile('explorer.css', STYLE)],
  ['/graphiql/explorer.js', publicFile('explorer.js', SCRIPT)],
  ['/graphiql/examples.js', publicFile('examples.js', SCRIPT)],
  ['/graphiql/workers.js', publicFile('workers.js', SCRIPT)],
  ['/graphiql/graphiql.css', copied('graphiql/graphiql.css', STYLE)],
  ['/graphiql/graphiql.js', copied('graphiql/graphiql.js', SCRIPT)],
  ['/graphiql/editor.worker.js', copied('graphiql/editor.worker.js', SCRIPT)],
  ['/graphiql/graphql.worker.js', copied('graphiql/graphql.worker.js', SCRIPT)],
  ['/graphiql/json.worker.js', copied('graphiql/json.worker.js', SCRIPT)],
];

function publicFile(name: string, type: string, policy?: string): Asset {
  return { type, read: () => readFile(join(PUBLIC, name)), ...(policy && { policy }) };
}

function copied(name: string, type: string): Asset {
  return { type, read: () => readFile(join(ASSETS, name)) };
}
