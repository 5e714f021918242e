/** What is checked before a transaction is checked again in it: proof, session, API token and login method, with requests that really overlap. */
import { expect } from 'chai';
import type { Provider } from '../../src/services/auth/oauth/provider.js';
import { buildApiToken, TOKENS } from '../support/api-tokens.js';
import { useApp } from '../support/app.js';
import { Authenticator } from '../support/authenticator.js';
import { type BuiltMember, buildArticle, buildMember } from '../support/build.js';
import { call, expectStatus, type RestResponse } from '../support/client.js';
import { flat } from '../support/images.js';
import { rowsOf } from '../support/imported.js';
import { interleave } from '../support/interleave.js';
import { recoveryApis, tokensFor } from '../support/links.js';
import { filePart, multipart, requestPart } from '../support/multipart.js';
import {
  buildPasskey,
  logInWith,
  loginOptions,
  PASSKEY_SETTINGS,
  register,
  registrationOptions,
  SITE,
} from '../support/passkeys.js';
import { statusOf } from '../support/session.js';
import { startSmtp } from '../support/smtp.js';

const smtp = await startSmtp();
after(() => smtp.close());

const app = useApp({ ...smtp.environment, ...PASSKEY_SETTINGS, OAUTH_REDIRECT_URIS: 'http://localhost:3000/callback' });

/** Identifies each code as the subject. */
const provider: Provider = {
  name: 'KAKAO',
  authorizationUrl: async () => '',
  identify: async ({ code }) => ({ provider: 'KAKAO', subject: code, email: null, name: null }),
};
before(() => void (app.services.oauthProviders as Map<string, Provider>).set('KAKAO', provider));
beforeEach(() => smtp.setBehaviors('accept'));

/** A promise that the test resolves. */
function gate() {
  let resolve = () => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve: () => resolve() };
}

const execute = (sql: string) => app.database.sequelize.query(sql);

interface Account extends BuiltMember {
  passkey: { id: number; authenticator: Authenticator };
  image: Buffer;
}

let count = 0;
async function buildAccount(): Promise<Account> {
  const member = await buildMember(app.url);
  const passkey = await buildPasskey(app.url, member);
  await execute(
    `insert into social_links (member_id, provider, subject) values (${member.id}, 'GOOGLE', 'g${++count}')`,
  );
  return { ...member, passkey, image: await flat(8, 8).png().toBuffer() };
}

/** All that an interrupted change could have left behind. */
async function stateOf({ id }: BuiltMember) {
  const [row] = await rowsOf(
    app.database,
    `select email, member_name, nickname, bio, profile_image, updated_at,
       (select array_agg(credential_id order by id) from passkeys where member_id = m.id) as passkeys,
       (select array_agg(provider order by id) from social_links where member_id = m.id) as links,
       (select count(*) from api_tokens where member_id = m.id) as tokens,
       (select array_agg(purpose order by id) from one_time_tokens where member_id = m.id) as one_time_tokens,
       (select count(*) from security_events where member_id = m.id and kind not in ('LOGIN')) as events
     from members m where id = ${id}`,
  );
  return row;
}

/** The changes of an account. Those of `proof` compare a password before the transaction. */
const CHANGES: Record<string, { proof: boolean; send: (account: Account) => Promise<RestResponse> }> = {
  'a change of the password with an image': {
    proof: true,
    send: ({ token, password, image }) =>
      call(app.url, 'PATCH /api/members/me', {
        token,
        ...multipart([
          requestPart({ currentPassword: password, password: 'a password of the thief' }),
          filePart(image),
        ]),
      }),
  },
  'a change of the profile': {
    proof: false,
    send: ({ token }) => call(app.url, 'PATCH /api/members/me', { token, json: { bio: 'Written by a thief' } }),
  },
  'a change of the email address': {
    proof: true,
    send: ({ token, password }) =>
      call(app.url, 'PUT /api/members/me/email', { token, json: { email: `thief${++count}@example.org`, password } }),
  },
  'a new API token': {
    proof: true,
    send: ({ token, password }) =>
      call(app.url, `POST ${TOKENS}`, { token, json: { name: 'Late', scopes: ['read'], password } }),
  },
  'a new passkey': {
    proof: true,
    send: async (account) =>
      register(app.url, account, new Authenticator(SITE).register(await registrationOptions(app.url, account))),
  },
  'the removal of a passkey': {
    proof: true,
    send: ({ token, password, passkey }) =>
      call(app.url, `DELETE /api/members/me/passkeys/${passkey.id}`, { token, json: { password } }),
  },
  'a new social link': {
    proof: true,
    send: ({ token, password }) =>
      call(app.url, 'POST /api/members/me/social-accounts', {
        token,
        json: { provider: 'KAKAO', code: `thief-${++count}`, password },
      }),
  },
  'the removal of a social link': {
    proof: true,
    send: ({ token, password }) =>
      call(app.url, 'DELETE /api/members/me/social-accounts/GOOGLE', { token, json: { password } }),
  },
  'a withdrawal': {
    proof: true,
    send: ({ token, password }) => call(app.url, 'DELETE /api/members/me', { token, json: { password } }),
  },
};

/** What the owner of the account, or an operator, does meanwhile. */
const EVENTS: Record<string, (id: number) => string> = {
  'the password changes': (id) => `update members set password_hash = 'another' where id = ${id}`,
  'the session ends': (id) => `delete from sessions where member_id = ${id}`,
  'the account is locked': (id) => `update members set locked_at = now() where id = ${id}`,
};

describe('A change of an account that waits while something else is committed', () => {
  for (const [name, { proof, send }] of Object.entries(CHANGES)) {
    for (const [event, change] of Object.entries(EVENTS)) {
      if (!proof && event === 'the password changes') continue;
      it(`is 401 and has no effect: ${name}, while ${event}`, async () => {
        const account = await buildAccount();
        const before = await stateOf(account);
        const response = await interleave(app, {
          lock: `select from members where id = ${account.id} for update`,
          request: () => send(account),
          change: change(account.id),
        });
        expect([response.status, response.body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
        expect(await stateOf(account)).to.deep.equal(before);
      });
    }
  }

  it('does not overwrite a password that its owner resets while the image of the change is saved', async () => {
    const account = await buildAccount();
    const { forgot, reset } = recoveryApis(app).REST;
    expect(await forgot(account.email)).to.equal('1');
    const [token = ''] = await tokensFor(app, smtp, 'reset', account.email);
    const { images } = app.services;
    const { save } = images;
    const [isReset, isSaving] = [gate(), gate()];
    images.save = async (...image) => {
      isSaving.resolve();
      await isReset.promise;
      return save.apply(images, image);
    };
    try {
      const change = CHANGES['a change of the password with an image']?.send(account);
      await isSaving.promise;
      expect(await reset(token, 'a password of the owner')).to.equal('1');
      const json = { email: account.email, password: 'a password of the owner' };
      const { body } = await expectStatus(call(app.url, 'POST /api/auth/login', { json }), 200, '1');
      isReset.resolve();
      expect((await change)?.body?.code).to.equal('UNAUTHENTICATED');
      expect(await statusOf(app.url, body?.data.accessToken)).to.equal(200);
      await expectStatus(call(app.url, 'POST /api/auth/login', { json }), 200, '1');
    } finally {
      images.save = save;
    }
  });
});

describe('A login that waits while its login method is removed', () => {
  const locking = ({ id }: Account) => `select from members where id = ${id} for update`;

  it('opens no session with the passkey', async () => {
    const account = await buildAccount();
    const { authenticator, id } = account.passkey;
    const credential = authenticator.assert(await loginOptions(app.url));
    const response = await interleave(app, {
      lock: locking(account),
      request: () => logInWith(app.url, credential),
      change: `delete from passkeys where id = ${id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([401, 'INVALID_CREDENTIALS']);
  });

  it('opens no session with the social account', async () => {
    const account = await buildAccount();
    await execute(
      `insert into social_links (member_id, provider, subject) values (${account.id}, 'KAKAO', 'known-${account.id}')`,
    );
    const json = { provider: 'KAKAO', code: `known-${account.id}` };
    await expectStatus(call(app.url, 'POST /api/auth/oauth/login', { json }), 200, '1');
    const response = await interleave(app, {
      lock: locking(account),
      request: () => call(app.url, 'POST /api/auth/oauth/login', { json }),
      change: `delete from social_links where provider = 'KAKAO' and member_id = ${account.id}`,
    });
    expect([response.status, response.body?.code]).to.deep.equal([401, 'OAUTH_REJECTED']);
  });
});

describe('Content that waits while its session or API token ends', () => {
  const JOBS = 'lock table graphile_worker._private_jobs in share row exclusive mode';
  const part = async () => filePart(await flat(8, 8).png().toBuffer());
  const article = requestPart({ title: 'Late', content: 'Late' });

  const WRITES: Record<string, (token: string, articleId: number) => Promise<RestResponse>> = {
    'a new article': async (token) =>
      call(app.url, 'POST /api/articles', { token, ...multipart([article, await part()]) }),
    'an edited article': async (token, id) =>
      call(app.url, `PUT /api/articles/${id}`, { token, ...multipart([article, await part()]) }),
    'a new image': async (token) => call(app.url, 'POST /api/images', { token, ...multipart([await part()]) }),
  };

  for (const [name, send] of Object.entries(WRITES)) {
    for (const [kind, table] of [
      ['session', 'sessions'],
      ['API token', 'api_tokens'],
    ] as const) {
      it(`is not written: ${name}, ${kind}`, async () => {
        const author = await buildMember(app.url);
        const { id } = await buildArticle(app.url, { title: 'First' }, author);
        const token =
          kind === 'session' ? author.token : (await buildApiToken(app.url, author, ['articles', 'images'])).token;
        const response = await interleave(app, {
          lock: JOBS,
          request: () => send(token, id),
          change: `delete from ${table} where member_id = ${author.id}`,
        });
        expect([response.status, response.body?.code]).to.deep.equal([401, 'UNAUTHENTICATED']);
        const [found] = await rowsOf(
          app.database,
          `select array(select title::text from articles where member_id = ${author.id}) as titles,
             (select count(*) from images where member_id = ${author.id}) as images`,
        );
        expect(found).to.deep.equal({ titles: ['First'], images: 0 });
      });
    }
  }
});
