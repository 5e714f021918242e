/** Requests for every documented response of the style endpoints. */
import { type BuiltMember, buildMember } from './build.js';
import { type Cast, invalidId, missingId, type RequestCases, requestsBy } from './documented-responses.js';
import { buildStyle } from './styles.js';

const INPUT = { role: 'a pirate', instruction: 'Write like one.' };

export function styleRequestCases(cast: Cast): RequestCases {
  return { ...customStyles(cast), ...transformations(cast) };
}

function customStyles(cast: Cast): RequestCases {
  const { json, token } = requestsBy(cast);
  const of = async (who: BuiltMember) => String((await buildStyle(cast.app.url, who)).id);
  const own = () => of(cast.member());
  const foreign = () => of(cast.other());
  const one = json({ name: 'Another', ...INPUT });
  const builtIn = json({ name: 'friendly', ...INPUT });
  const full = async () => {
    const member = await buildMember(cast.app.url);
    for (let number = 0; number < 10; number++) await of(member);
    return { json: { name: 'One more', ...INPUT }, token: member.token };
  };
  return {
    'GET /api/members/me/custom-styles': { 200: { options: token } },
    'POST /api/members/me/custom-styles': {
      201: { options: json({ name: 'Made', ...INPUT }) },
      VALIDATION_FAILED: { options: json({}) },
      STYLE_LIMIT_REACHED: { options: full },
      STYLE_NAME_TAKEN: { options: builtIn },
    },
    'PUT /api/members/me/custom-styles/{styleId}': {
      200: { path: own, options: one },
      VALIDATION_FAILED: { path: invalidId, options: one },
      STYLE_FORBIDDEN: { path: foreign, options: one },
      STYLE_NAME_TAKEN: { path: own, options: builtIn },
      STYLE_NOT_FOUND: { path: missingId, options: one },
    },
    'DELETE /api/members/me/custom-styles/{styleId}': {
      200: { path: own, options: token },
      VALIDATION_FAILED: { path: invalidId, options: token },
      STYLE_FORBIDDEN: { path: foreign, options: token },
      STYLE_NOT_FOUND: { path: missingId, options: token },
    },
  };
}

function transformations(cast: Cast): RequestCases {
  const { json } = requestsBy(cast);
  const foreign = async () =>
    json({ content: 'x', customStyleId: (await buildStyle(cast.app.url, cast.other())).id })();
  const friendly = json({ content: 'x', writingStyle: 'FRIENDLY' });
  const prompt = json({ prompt: 'x' });
  return {
    'POST /api/articles/transform-style': {
      200: { options: friendly },
      VALIDATION_FAILED: { options: json({ content: 'x' }) },
      STYLE_NOT_FOUND: { options: foreign },
      AI_NOT_CONFIGURED: { options: friendly },
    },
    'POST /api/external/gemini': {
      200: { options: prompt },
      VALIDATION_FAILED: { options: json({}) },
      AI_NOT_CONFIGURED: { options: prompt },
    },
  };
}
