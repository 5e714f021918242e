/** Display names: no name can be confused with the name of another member or of the service (UTS 39). */
import { expect } from 'chai';
import { nicknameFor } from '../../../src/import/person.js';
import { explainDisplayName, toDisplayName } from '../../../src/platform/display-name/rules.js';
import { useApp } from '../../support/app.js';
import { buildMember } from '../../support/build.js';
import {
  call,
  expectFieldErrors,
  expectStatus,
  fieldErrors,
  graphql,
  type RestResponse,
} from '../../support/client.js';

const app = useApp();

let count = 0;
function register(nickname: string, headers: Record<string, string> = {}): Promise<RestResponse> {
  const json = { email: `name${++count}@example.org`, password: 'a long password', memberName: 'M', nickname };
  return call(app.url, 'POST /api/auth/register', { json, headers });
}

async function nicknameOf(memberName: string): Promise<string> {
  return (await buildMember(app.url, { memberName })).nickname;
}

/** A member with a nickname from before the rules, without a skeleton. */
async function oldMember(nickname: string): Promise<{ id: number; token: string }> {
  const { id, token } = await buildMember(app.url);
  await app.database.sequelize.query(
    'update members set nickname = :nickname, nickname_skeleton = null where id = :id',
    { replacements: { id, nickname } },
  );
  return { id, token };
}

const INVISIBLE = [
  'a zero width space: \u200b',
  'a zero width joiner: \u200d',
  'a soft hyphen: \u00ad',
  'a right-to-left override: \u202e',
  'an isolate: \u2066',
  'a variation selector: \ufe0f',
  'a variation selector of plane 14: \u{e0100}',
  'a tag: \u{e0061}',
  'a Hangul filler: \u3164',
  'a combining grapheme joiner: \u034f',
  'a byte order mark: \ufeff',
  'a blank Braille pattern: \u2800',
  'a private use character: \ue000',
  'an unassigned code point: \u{e0fff}',
];

const LOOK_ALIKES = [
  ['scope', 'ѕсоре', 'Cyrillic throughout'],
  ['SPACE', 'ЅРАСЕ', 'Cyrillic capitals'],
  ['epic', 'ЕРІС', 'Cyrillic capitals for small letters'],
  ['paypal', 'paypaI', 'capital I for small l'],
  ['Iris K', 'lris K', 'small l for capital I'],
  ['minnow', 'rninnow', 'rn for m'],
  ['mike', 'MlKE', 'small l for the capital of i'],
  ['zoo1', 'zooI', 'capital I for 1'],
  ['COOL0', 'coolo', '0 for o'],
  ['fullwide', 'ｆｕｌｌｗｉｄｅ', 'full width'],
  ['script', '𝓼𝓬𝓻𝓲𝓹𝓽', 'mathematical letters'],
  ['two words', 'two  words', 'two spaces'],
  ['no break', 'no\u00a0break', 'a no-break space'],
  ['카카오', 'ㅋㅏㅋㅏㅇㅗ', 'separate Hangul letters'],
] as const;

describe('A nickname', () => {
  for (const [nickname, other, how] of LOOK_ALIKES) {
    it(`is rejected with 409 NICKNAME_TAKEN if it is confusable with a taken one: ${how}`, async () => {
      expect((await register(nickname)).status, nickname).to.equal(201);
      await expectStatus(register(other), 409, 'NICKNAME_TAKEN', other);
    });
  }

  for (const described of INVISIBLE) {
    const [what = '', character = ''] = described.split(': ');
    it(`is 400 with ${what}, named in the message`, async () => {
      const response = await register(`ab${character}cd`);
      const hex = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      expect([response.status, response.body?.code]).to.deep.equal([400, 'VALIDATION_FAILED']);
      expectFieldErrors(response, `nickname: must not contain invisible or unassigned characters, got U+${hex}`);
    });
  }

  for (const nickname of ['pаypal', 'Αlice', 'админadmin', 'ᏟᏞare', 'ไทยкот', '한글кот']) {
    it(`is 400 if it mixes confusable scripts: ${nickname}`, async () => {
      const response = await register(nickname);
      expect(response.status).to.equal(400);
      expect(fieldErrors(response)).to.deep.equal([
        'nickname: must use one script in modern use, or one with Latin letters (not Cyrillic or Greek with Latin)',
      ]);
    });
  }

  const reserved = [
    '(withdrawn)',
    '(deleted)',
    '(hidden)',
    '(blocked)',
    '(held)',
    '(removed)',
    'Admin',
    'ADMIN.',
    'a d m i n',
    'adrnin',
    'adm1n',
    'Ａdmin',
  ];
  for (const nickname of [
    ...reserved,
    'administrator',
    'Moderator',
    'daybook',
    'System',
    'suppοrt',
    '관리자',
    '운영자',
  ]) {
    it(`is 400 for a reserved word, in any spelling: ${nickname}`, async () => {
      const response = await expectStatus(register(nickname), 400, 'VALIDATION_FAILED');
      expect(fieldErrors(response)[0]).to.match(/^nickname: must (?:not be a reserved name|use one script)/);
    });
  }

  it('is 400 with stacked combining marks', async () => {
    for (const nickname of ['z\u0301\u0302\u0303\u0304\u0305', 'a\u0301\u0301b', '\u0301ab']) {
      expectFieldErrors(await register(nickname), 'nickname: must not contain stacked combining marks');
    }
  });

  it('is 400 with a Korean message for Accept-Language ko', async () => {
    expectFieldErrors(
      await register('(withdrawn)', { 'Accept-Language': 'ko' }),
      'nickname: 예약된 이름은 사용할 수 없습니다.',
    );
  });

  const usual = [
    '김mina',
    '민수 Kim',
    '李小龍',
    'さくら Sakura',
    'Zoë',
    'Мария',
    'Ελένη',
    'สมชาย',
    'Nguyễn Văn',
    'אבי',
    'محمد',
    'प्रिया',
  ];
  for (const nickname of [
    ...usual,
    'Müller 99',
    'mina_99',
    'o’Neil',
    'mina🌊',
    '🌊🌊',
    '𝄞 notes',
    'ㅋㅋㅋ',
    'administration',
    'systematic',
  ]) {
    it(`may be ${nickname}`, async () => {
      const { status, body } = await register(nickname);
      expect([status, body?.data.nickname]).to.deep.equal([201, nickname.normalize('NFC')]);
    });
  }

  it('follows the same rules when it is changed over REST or GraphQL', async () => {
    const { token } = await buildMember(app.url);
    await register('harbor');
    const patch = (nickname: string) => call(app.url, 'PATCH /api/members/me', { token, json: { nickname } });
    const edit = async (nickname: string) => {
      const query = 'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { id } }';
      return (await graphql(app.url, query, { input: { nickname } }, token)).errors?.[0]?.extensions.code;
    };
    expect((await patch('hаrbor')).body?.code).to.equal('VALIDATION_FAILED');
    expect((await patch('(hidden)')).body?.code).to.equal('VALIDATION_FAILED');
    expect((await patch('harb0r')).body?.code).to.equal('NICKNAME_TAKEN');
    expect(await edit('har\u200bbor')).to.equal('VALIDATION_FAILED');
    expect(await edit('Harb0r')).to.equal('NICKNAME_TAKEN');
    expect((await patch('light house')).status).to.equal(204);
    expect((await patch('LIGHT H0USE')).status, 'its own').to.equal(204);
    expect((await register('light house')).body?.code).to.equal('NICKNAME_TAKEN');
  });

  it('from before the rules stays until it is changed', async () => {
    const { token } = await oldMember('(withdrawn)\u200b');
    const patch = (json: object) => call(app.url, 'PATCH /api/members/me', { token, json });
    expect((await patch({ bio: 'still here' })).status).to.equal(204);
    expect((await patch({ bio: 'sends all fields', nickname: '(withdrawn)\u200b' })).status).to.equal(204);
    expect((await patch({ nickname: '(withdrawn)' })).status).to.equal(400);
    expect((await patch({ nickname: 'a new name' })).status).to.equal(204);
  });

  it('is given to only one of several simultaneous registrations of look-alike names', async () => {
    const names = ['hurry', 'HURRY', 'hurrY', 'Hurry'];
    const responses = await Promise.all(['il1I|', '1l1l1', 'IIIII', 'lllll', ...names].map((name) => register(name)));
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([201, 201, 409, 409, 409, 409, 409, 409]);
  });
});

describe('A nickname derived from a member name', () => {
  it('drops invisible characters, and gets a number when it looks like a taken nickname', async () => {
    expect(await nicknameOf('Oda\u200b')).to.equal('Oda');
    expect(await nicknameOf('0da')).to.equal('0da2');
    expect(await nicknameOf('ODA')).to.equal('ODA3');
  });

  it('is a generic one when the member name is not a valid nickname', async () => {
    const names = [];
    for (const name of ['(withdrawn)', 'аdmin', 'Admin']) names.push(await nicknameOf(name));
    expect(names).to.deep.equal(['Member', 'Member2', 'Member3']);
  });

  it('is valid for imported members too', () => {
    for (const name of ['admin', 'Ann\u200bie', '(deleted)', 'Αlice', 'z\u0301\u0302\u0303\u0304\u0305', '김']) {
      for (const round of [0, 1, 5, 7]) {
        const nickname = nicknameFor(name, 4711, round);
        expect(explainDisplayName(nickname), nickname).to.equal(null);
        expect([...nickname].length, nickname).to.be.within(2, 30);
      }
    }
    expect(toDisplayName('Ann\u200bie')).to.equal('Annie');
  });
});
