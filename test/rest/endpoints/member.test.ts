/** The member's own profile, and the multipart body that changes it. */
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { MAX_IMAGE_BYTES } from '../../../src/services/images/image.js';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import {
  call,
  expectFieldErrors,
  expectStatus,
  fieldErrors,
  type RequestOptions,
  type RestResponse,
} from '../../support/client.js';
import { BAD_IDS, HUGE_IDS } from '../../support/hostile.js';
import { flat, frames, pngOf, twoColors } from '../../support/images.js';
import { runJobs } from '../../support/jobs.js';
import { filePart, multipart, requestPart } from '../../support/multipart.js';
import { sendAndLeave, sendRaw } from '../../support/raw.js';
import { statementsDuring } from '../../support/statements.js';

const app = useApp();

let member: BuiltMember;
let png: Buffer;

/** Registers a new member before each test of the calling `describe`. */
function useMember(): void {
  before(async () => {
    png = await flat(400, 4).png().toBuffer();
  });
  beforeEach(async () => {
    member = await buildMember(app.url);
  });
}

async function profile({ token } = member) {
  return (await call(app.url, 'GET /api/members/me', { token })).body?.data;
}

function change(options: RequestOptions, { token } = member): Promise<RestResponse> {
  return call(app.url, 'PATCH /api/members/me', { token, ...options });
}

async function expectChanged(options: RequestOptions): Promise<void> {
  const { status, body } = await change(options);
  expect([status, body]).to.deep.equal([204, null]);
}

/** Expects a rejection with this status and key, an unchanged profile and no additional image files. */
async function expectRejected(options: RequestOptions, status: number, key: string, what = ''): Promise<RestResponse> {
  const [before, files] = [await profile(), await imageFiles()];
  const response = await change(options);
  expect([response.status, response.body?.code], `${what} ${JSON.stringify(response.body)}`).to.deep.equal([
    status,
    key,
  ]);
  expect([await profile(), await imageFiles()], what).to.deep.equal([before, files]);
  return response;
}

const expectInvalid = (options: RequestOptions, what?: string) =>
  expectRejected(options, 400, 'VALIDATION_FAILED', what);
const expectMalformed = (options: RequestOptions, what?: string) => expectRejected(options, 400, 'BAD_REQUEST', what);

async function imageFiles(): Promise<string[]> {
  await runJobs(app);
  return (await readdir(join(app.dataDir, 'images')).catch(() => [])).sort();
}

const login = (email: string, password: string) => call(app.url, 'POST /api/auth/login', { json: { email, password } });

describe('GET /api/members/me', () => {
  useMember();

  it('returns 200 with exactly the fields of a member', async () => {
    const { body } = await expectStatus(call(app.url, 'GET /api/members/me', { token: member.token }), 200, '1');
    const { createdAt, updatedAt, memberName, ...rest } = body?.data ?? {};
    expect(rest).to.deep.equal({
      id: member.id,
      email: member.email,
      emailVerified: false,
      nickname: member.nickname,
      profileImg: null,
      profileImgSizes: [],
      bio: '',
      role: 'MEMBER',
      suspension: null,
    });
    expect(Object.keys(body?.data).join()).to.equal(
      'id,email,emailVerified,memberName,nickname,profileImg,profileImgSizes,bio,role,suspension,createdAt,updatedAt',
    );
    expect(createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect([updatedAt, memberName]).to.deep.equal([createdAt, member.nickname]);
  });

  it('returns 401 without a token', async () => {
    const response = await expectStatus(call(app.url, 'GET /api/members/me'), 401, 'UNAUTHENTICATED');
    expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer');
  });
});

describe('PATCH /api/members/me', () => {
  useMember();

  it('returns 204 without a body for each field and keeps the others', async () => {
    for (const json of [
      { memberName: 'New Name' },
      { nickname: `Changed${member.id}` },
      { bio: 'line 1\nline 2 👋' },
      { bio: '' },
    ]) {
      const before = await profile();
      await expectChanged({ json });
      const { updatedAt, ...after } = await profile();
      expect({ ...after, updatedAt: before.updatedAt }).to.deep.equal({ ...before, ...json });
      expect(updatedAt >= before.updatedAt).to.equal(true);
    }
  });

  it('returns 204 for a nickname that differs from the current one only in case', async () => {
    await expectChanged({ json: { nickname: member.nickname.toUpperCase() } });
    expect((await profile()).nickname).to.equal(member.nickname.toUpperCase());
  });

  it('returns 204 and treats null as an absent field', async () => {
    await expectChanged({ json: { memberName: 'Named', nickname: null, bio: null } });
    expect(await profile()).to.include({ memberName: 'Named', nickname: member.nickname, bio: '' });
  });

  describe('multipart part "request"', () => {
    const json = '{"bio":"한글"}';
    const forms = {
      'a plain field': { name: 'request', body: json },
      'a part with Content-Type application/json': { name: 'request', body: json, type: 'application/json' },
      'a part with a filename, as a browser sends a Blob': {
        name: 'request',
        body: json,
        filename: 'blob',
        type: 'application/json',
      },
      'a part with a filename and another type': {
        name: 'request',
        body: json,
        filename: 'request.json',
        type: 'application/octet-stream',
      },
      'a part with headers in another order, case and spacing': {
        name: '',
        body: json,
        head: 'content-type:application/json;charset=UTF-8\r\ncontent-disposition:form-data;name=request',
      },
    };
    for (const [name, part] of Object.entries(forms)) {
      it(`returns 204 as ${name}`, async () => {
        await expectChanged(multipart([part]));
        expect((await profile()).bio).to.equal('한글');
      });
    }
    for (const filename of [undefined, 'blob']) {
      it(`returns 204 as sent by fetch, ${filename ? 'as a Blob' : 'as text'}`, async () => {
        const form = new FormData();
        if (filename) form.append('request', new Blob([json], { type: 'application/json' }));
        else form.append('request', json);
        form.append('file', new Blob([png], { type: 'image/png' }), 'me.png');
        await expectChanged({ body: form });
        const { bio, profileImg } = await profile();
        expect([bio, profileImg]).to.satisfy(([text, url]: string[]) => text === '한글' && url?.endsWith('.webp'));
      });
    }
  });

  describe('multipart part "file"', () => {
    it('returns 204 without other parts; the image is served as WebP and cacheable for a day', async () => {
      await expectChanged(multipart([filePart(png)]));
      const { profileImg } = await profile();
      expect(profileImg).to.match(new RegExp(`^${app.url}/images/[0-9a-f]{32}\\.webp$`));
      const response = await fetch(profileImg);
      expect(response.status).to.equal(200);
      expect(response.headers.get('Content-Type')).to.equal('image/webp');
      expect(response.headers.get('X-Content-Type-Options')).to.equal('nosniff');
      expect(response.headers.get('Cache-Control')).to.equal('public, max-age=86400');
      expect(
        Buffer.from(await response.arrayBuffer())
          .subarray(8, 12)
          .toString(),
      ).to.equal('WEBP');
      expect(await imageFiles()).to.include(new URL(profileImg).pathname.split('/').at(-1));
    });

    it('returns 204 with request and file, in either order', async () => {
      await expectChanged(multipart([requestPart({ bio: 'first' }), filePart(png)]));
      const first = await profile();
      await expectChanged(multipart([filePart(png), requestPart({ bio: 'second' })]));
      const second = await profile();
      expect([first.bio, second.bio]).to.deep.equal(['first', 'second']);
      expect(second.profileImg).to.not.equal(first.profileImg);
    });

    it('returns 204 and deletes both sizes of a replaced or removed image', async () => {
      const others = await imageFiles();
      await expectChanged(multipart([filePart(png)]));
      const { profileImg: old } = await profile();
      await expectChanged(multipart([filePart(png)]));
      expect(await imageFiles()).to.have.length(others.length + 2);
      expect((await fetch(old)).status).to.equal(404);
      await expectChanged({ json: { removeImage: true } });
      expect((await profile()).profileImg).to.equal(null);
      expect(await imageFiles()).to.deep.equal(others);
      await expectChanged({ json: { removeImage: true } });
    });

    it('has square sizes of its middle, none larger than the image, also animated, which are removed with it', async () => {
      const sizes = async (file: Buffer) => {
        await expectChanged(multipart([filePart(file)]));
        const { profileImgSizes } = await profile();
        const { body } = await call(app.url, `GET /api/members/${member.id}`);
        expect(body?.data.profileImgSizes).to.deep.equal(profileImgSizes);
        return profileImgSizes as { url: string; width: number }[];
      };
      const others = await imageFiles();
      const wide = await sizes(await twoColors(600, 256).png().toBuffer());
      expect(wide.map(({ width }) => width)).to.deep.equal([64, 128, 256]);
      for (const { url, width } of wide) {
        const image = sharp(Buffer.from(await (await fetch(url)).arrayBuffer()));
        const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true });
        expect([info.width, info.height]).to.deep.equal([width, width]);
        expect([data[0], data.at(-1)].map((value) => (value ?? 0) > 200)).to.deep.equal([true, true]);
      }
      const animated = await sizes(await frames(3, 100, 130).gif().toBuffer());
      expect(animated.map(({ width }) => width)).to.deep.equal([64]);
      const file = Buffer.from(await (await fetch(animated[0]?.url ?? '')).arrayBuffer());
      const { pages, width, pageHeight } = await sharp(file, { animated: true }).metadata();
      expect([pages, width, pageHeight]).to.deep.equal([3, 64, 64]);
      expect(await sizes(await flat(63, 300).png().toBuffer())).to.deep.equal([]);
      await expectChanged({ json: { removeImage: true } });
      expect((await profile()).profileImgSizes).to.deep.equal([]);
      expect(await imageFiles()).to.deep.equal(others);
    });

    it('returns 204 for any filename and does not use it', async () => {
      const { nickname } = member;
      for (const name of [
        '../../x.png',
        '/etc/passwd',
        'C:\\x.png',
        '..\\..\\x',
        '%2e%2e%2fx',
        'x'.repeat(5000),
        'name=request',
      ]) {
        await expectChanged(multipart([filePart(png, name)]));
        expect((await profile()).profileImg, name).to.match(/\/[0-9a-f]{32}\.webp$/);
      }
      expect((await profile()).nickname).to.equal(nickname);
      expect((await imageFiles()).every((name) => /^[0-9a-f]{32}(-320)?\.webp$/.test(name))).to.equal(true);
    });

    it('returns 204 and ignores the empty, unnamed part of an unused file input', async () => {
      await expectChanged(multipart([requestPart({ bio: 'b' }), filePart('', '', 'application/octet-stream')]));
      expect(await profile()).to.include({ bio: 'b', profileImg: null });
    });

    it('keeps the new image if the old one cannot be deleted', async () => {
      await expectChanged(multipart([filePart(png)]));
      const { remove } = app.services.images;
      app.services.images.remove = () => Promise.reject(new Error('the disk is read-only'));
      try {
        await expectChanged(multipart([filePart(png)]));
      } finally {
        app.services.images.remove = remove;
      }
      expect((await fetch((await profile()).profileImg)).status).to.equal(200);
    });

    it('returns 400 for content that is not an image, independent of its name and type', async () => {
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
      const wrong = {
        svg,
        html: '<!doctype html><script>alert(1)</script>',
        text: 'GIF8',
        empty: '',
        zeros: '\0'.repeat(100),
      };
      for (const [what, body] of Object.entries(wrong)) {
        await expectRejected(multipart([filePart(body)]), 400, 'IMAGE_INVALID', what);
        await expectRejected(multipart([requestPart({ bio: 'x' }), filePart(body)]), 400, 'IMAGE_INVALID', what);
      }
    });

    it('returns 400 for a truncated image, and for 200 megapixels in a few bytes', async () => {
      await expectRejected(multipart([filePart(png.subarray(0, 60))]), 400, 'IMAGE_INVALID');
      await expectRejected(multipart([filePart(pngOf(20_000, 10_000))]), 400, 'IMAGE_INVALID');
    });

    it('returns 400 for an image with removeImage', async () => {
      const response = await expectInvalid(multipart([requestPart({ removeImage: true }), filePart(png)]));
      expectFieldErrors(response, 'removeImage: cannot be combined with a new image');
    });

    it('returns 413 above the maximum size of an upload', async () => {
      const large = Buffer.concat([png, Buffer.alloc(MAX_IMAGE_BYTES)]);
      await expectRejected(multipart([filePart(large)]), 413, 'PAYLOAD_TOO_LARGE');
      await expectRejected(multipart([filePart(large.subarray(0, MAX_IMAGE_BYTES + 1))]), 413, 'PAYLOAD_TOO_LARGE');
      await expectRejected(multipart([requestPart({ bio: 'x' }), filePart(large)]), 413, 'PAYLOAD_TOO_LARGE');
    });

    it('returns 413 over 12 MB in all parts, with and without Content-Length', async () => {
      const parts = Array.from({ length: 3 }, (_, number) => filePart(Buffer.alloc(5_000_000), `${number}.png`));
      await expectRejected(multipart(parts), 413, 'PAYLOAD_TOO_LARGE');
      const { body, headers } = multipart(parts);
      const chunked = await sendChunked(body, headers['Content-Type']);
      expect(chunked).to.match(/^HTTP\/1\.1 413 /);
    });
  });

  describe('a password', () => {
    it('returns 204 with the current one, ends the other sessions and keeps this one', async () => {
      const other = (await login(member.email, member.password)).body?.data.accessToken;
      await expectChanged({ json: { password: 'the new password', currentPassword: member.password } });
      expect((await call(app.url, 'GET /api/members/me', { token: other })).status).to.equal(401);
      expect((await profile()).id).to.equal(member.id);
      expect((await login(member.email, member.password)).status).to.equal(401);
      expect((await login(member.email, 'the new password')).status).to.equal(200);
    });

    it('returns 400 naming currentPassword if it is missing or wrong', async () => {
      const without = await expectInvalid({ json: { password: 'the new password' } });
      expectFieldErrors(without, 'currentPassword: is required to set a new password');
      const wrong = await expectInvalid(
        multipart([requestPart({ password: 'the new password', currentPassword: 'wrong', bio: 'x' }), filePart(png)]),
      );
      expectFieldErrors(wrong, 'currentPassword: is not your current password');
      expect((await login(member.email, member.password)).status).to.equal(200);
    });

    it('returns 400 for a current password without a new one', async () => {
      await expectInvalid({ json: { currentPassword: member.password } });
    });
  });

  it('returns 400 naming every invalid field', async () => {
    const json = {
      email: 'a@b.org',
      role: 'ADMIN',
      id: 1,
      memberName: '',
      nickname: 'x',
      bio: 5,
      removeImage: 'yes',
      password: 'short',
    };
    const allowed = 'memberName, nickname, bio, password, currentPassword, removeImage';
    const expected = [
      `email: is not a known field; expected ${allowed}`,
      `role: is not a known field; expected ${allowed}`,
      `id: is not a known field; expected ${allowed}`,
      'memberName: must be 1 to 30 characters long, got 0',
      'nickname: must be 2 to 30 characters long, got 1',
      'bio: must be a string, got 5',
      'removeImage: must be true or false, got "yes"',
      'password: must be 8 to 128 characters long, got 5',
    ];
    expect(fieldErrors(await expectInvalid({ json }))).to.have.members(expected);
    const parts = multipart([requestPart(json), filePart(png)]);
    expect(fieldErrors(await expectInvalid(parts))).to.have.members(expected);
    expect(fieldErrors(await change({ json: { bio: 'x'.repeat(201) } }))).to.deep.equal([
      'bio: must be 0 to 200 characters long, got 201',
    ]);
    expectFieldErrors(await change({ json: { bio: 'a\0' } }), 'bio: must not contain the character U+0000');
  });

  it('returns 400 for an empty change', async () => {
    await expectInvalid({ json: {} }, '{}');
    await expectInvalid({ json: { bio: null } }, 'null');
    await expectInvalid(multipart([requestPart({})]), 'request {}');
    await expectMalformed(multipart([]), 'no parts');
    await expectMalformed(multipart([filePart('', '')]), 'an empty file input');
    await expectMalformed({ body: '', headers: { 'Content-Type': 'application/json' } }, 'empty');
    await expectMalformed({}, 'no body');
  });

  it('returns 400 naming duplicate and unknown parts', async () => {
    const twice = multipart([requestPart({ bio: 'a' }), requestPart({ bio: 'b' })]);
    expectFieldErrors(await expectInvalid(twice), 'request: must be sent once, got 2 parts');
    const files = multipart([filePart(png), filePart(png)]);
    expectFieldErrors(await expectInvalid(files), 'file: must be sent once, got 2 parts');
    for (const name of ['image', 'nickname', '__proto__', 'constructor', 'toString', 'Request', 'request[]', '']) {
      const response = await expectInvalid(multipart([requestPart({ bio: 'a' }), { name, body: 'x' }]), name);
      expectFieldErrors(response, `${name}: is not a known part; expected request and file`);
    }
  });

  it('returns 400 for keys such as __proto__ and constructor', async () => {
    for (const text of [
      '{"__proto__":{"bio":"x"}}',
      '{"constructor":"x"}',
      '{"hasOwnProperty":1}',
      '{"bio":"x","__proto__":null}',
    ]) {
      await expectInvalid({ body: text, headers: { 'Content-Type': 'application/json' } }, text);
      await expectInvalid(multipart([{ name: 'request', body: text }]), text);
    }
    expect(({} as { bio?: string }).bio).to.equal(undefined);
  });

  it('returns 400 if the part request is not a JSON object', async () => {
    for (const body of [
      '{"bio":',
      'bio=x',
      '"text"',
      '5',
      'null',
      '[]',
      '[{"bio":"x"}]',
      '\ufeff',
      Buffer.from([0xff, 0xfe, 0x7b]),
    ]) {
      await expectMalformed(multipart([{ name: 'request', body }]), String(body));
    }
    await expectMalformed(multipart([{ name: 'request', body: '' }, filePart(png)]), 'empty');
  });

  it('returns 400 for a malformed multipart body', async () => {
    const parts = [requestPart({ bio: 'x' }), filePart(png)];
    await expectMalformed(multipart(parts, { boundary: 'another' }), 'another boundary');
    await expectMalformed(multipart(parts, { end: '' }), 'no end');
    await expectMalformed(multipart([requestPart({ bio: 'x' })], { end: '' }), 'no end after a field');
    const { body } = multipart(parts);
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""']) {
      await expectMalformed({ body, headers: { 'Content-Type': type } }, type);
    }
    const cut = multipart(parts);
    for (const length of [10, 60, 150, cut.body.length - 40]) {
      await expectMalformed({ ...cut, body: cut.body.subarray(0, length) }, `cut at ${length}`);
    }
    for (const head of ['', 'Content-Type: application/json', 'nonsense', ': x', 'Content-Disposition: form-data']) {
      const response = await change(multipart([{ name: '', body: '{"bio":"x"}', head }]));
      expect(response.status, head).to.equal(400);
    }
    await expectMalformed({ body: 'x'.repeat(5000), headers: cut.headers }, 'no boundary at all');
    expect((await profile()).bio).to.equal('');
  });

  it('returns 400 for more than 20 parts', async () => {
    const parts = Array.from({ length: 2000 }, (_, number) => ({ name: `part${number}`, body: 'x' }));
    await expectMalformed(multipart(parts));
    await expectMalformed(multipart(parts.slice(0, 21)));
  });

  it('returns 400 for a part with more than 8 KiB of headers', async () => {
    const heads = [
      `Content-Disposition: form-data; name="request"; x="${'a'.repeat(5_000_000)}"`,
      `Content-Disposition: form-data; ${'filename="'.repeat(500_000)}`,
      `Content-Disposition: form-data; ${'name="'.repeat(800_000)}`,
      `${'x'.repeat(5_000_000)}: y\r\nContent-Disposition: form-data; name="request"`,
      `${'x: y\r\n'.repeat(800_000)}Content-Disposition: form-data; name="request"`,
    ];
    const statuses = [];
    for (const head of heads)
      statuses.push((await change(multipart([{ name: '', body: '{"bio":"x"}', head }]))).status);
    expect(statuses).to.deep.equal([400, 400, 400, 400, 400]);
  });

  it('returns 401 before 415, 413 and 400', async () => {
    for (const options of [
      { body: 'x', headers: { 'Content-Type': 'text/plain' } },
      { json: { bio: 'x'.repeat(3_000_000) } },
      multipart([filePart(Buffer.alloc(12_000_000))]),
      { body: '{' },
      {},
    ]) {
      await expectStatus(call(app.url, 'PATCH /api/members/me', options), 401, 'UNAUTHENTICATED');
    }
  });

  it('returns 409 for a taken nickname and stores nothing of the change', async () => {
    const { nickname } = await buildMember(app.url);
    for (const taken of [nickname, nickname.toLowerCase()]) {
      await expectRejected({ json: { nickname: taken, bio: 'x' } }, 409, 'NICKNAME_TAKEN');
      await expectRejected(
        multipart([requestPart({ nickname: taken, bio: 'x' }), filePart(png)]),
        409,
        'NICKNAME_TAKEN',
      );
    }
  });

  it('returns 413 for a part request or a JSON body over 1 MB', async () => {
    await expectRejected(multipart([requestPart({ bio: 'x'.repeat(1_100_000) })]), 413, 'PAYLOAD_TOO_LARGE');
    await expectRejected({ json: { bio: 'x'.repeat(1_100_000) } }, 413, 'PAYLOAD_TOO_LARGE');
  });

  it('returns 415 for other media types', async () => {
    const body = '{"bio":"x"}';
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'multipart/mixed; boundary=x',
      'nonsense',
      'application/jsonp',
    ]) {
      const response = await expectRejected(
        { body, headers: { 'Content-Type': type } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        type,
      );
      expect(response.body?.message).to.equal(
        `Expected Content-Type multipart/form-data or application/json, got "${type}".`,
      );
    }
    await expectRejected({ body: Buffer.from(body) }, 415, 'UNSUPPORTED_MEDIA_TYPE', 'none');
  });

  it('leaves no files behind after success, failure or a client disconnect', async () => {
    const before = [await temporaryFiles(), await imageFiles()];
    const large = multipart([requestPart({ bio: 'x' }), filePart(Buffer.concat([png, Buffer.alloc(3_000_000)]))]);
    const head = `PATCH /api/members/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${member.token}\r\nContent-Type: ${large.headers['Content-Type']}\r\nContent-Length: ${large.body.length}\r\n\r\n`;
    for (const length of [0, 100, 1_000_000, 2_999_999]) {
      await sendAndLeave(app.url, Buffer.concat([Buffer.from(head), large.body.subarray(0, length)]));
    }
    expect((await profile()).bio).to.equal('');
    await expectChanged(multipart([filePart(png)]));
    await expectChanged({ json: { removeImage: true } });
    await change(multipart([filePart('nothing')]));
    expect([await temporaryFiles(), await imageFiles()]).to.deep.equal(before);
  });

  it('keeps one of several images that are sent in parallel, and only its files', async () => {
    const others = await imageFiles();
    const responses = await Promise.all(Array.from({ length: 6 }, () => change(multipart([filePart(png)]))));
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(6).fill(204));
    expect((await fetch((await profile()).profileImg)).status).to.equal(200);
    expect(await imageFiles()).to.have.length(others.length + 2);
  });
});

/** Entries of the temporary folder, without those of the suite itself. */
async function temporaryFiles(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => !name.startsWith('daybook-') && !name.startsWith('mocha')).sort();
}

function sendChunked(body: Buffer, type: string): Promise<string> {
  const head = `PATCH /api/members/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${member.token}\r\nContent-Type: ${type}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const size = `${body.length.toString(16)}\r\n`;
  return sendRaw(app.url, Buffer.concat([Buffer.from(head + size), body, Buffer.from('\r\n0\r\n\r\n')]));
}

describe('GET /api/members/{memberId}', () => {
  useMember();

  it('returns the public profile without a token, in two statements: the stamp and the profile', async () => {
    await change({ json: { bio: 'Keeps bees.' } });
    const { createdAt } = await profile();
    const statements = await statementsDuring(async () => {
      const { body } = await call(app.url, `GET /api/members/${member.id}`);
      const { id, nickname } = member;
      expect(body?.data).to.deep.equal({
        id,
        nickname,
        bio: 'Keeps bees.',
        profileImg: null,
        profileImgSizes: [],
        role: 'MEMBER',
        articleCount: 0,
        followerCount: 0,
        createdAt,
      });
    });
    expect(statements).to.have.lengthOf(2);
  });

  it('returns 404 for an unknown member, 400 for an invalid id', async () => {
    for (const id of HUGE_IDS) await expectStatus(call(app.url, `GET /api/members/${id}`), 404, 'MEMBER_NOT_FOUND', id);
    for (const id of BAD_IDS) expect((await call(app.url, `GET /api/members/${id}`)).status, id).to.equal(400);
  });
});
