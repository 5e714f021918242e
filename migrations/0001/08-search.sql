-- What is derived from the content of an article: its HTML, its visible text, and the search index. docs/search.md describes the queries.

-- The content as HTML, with the version of the renderer. Not a column of articles: a change of any column there changes the article's stamp, which
-- storing the output of a newer renderer for the same content must not do. No row: the content has not been rendered yet.
create table article_html (
  article_id bigint primary key references all_articles on delete cascade,
  version    integer not null,
  html       text not null
);

-- The visible text of each article, which search, excerpts and snippets use in place of the source. Not a column of article_html: filling it would
-- write each row of that table again. No row: the content has not been rendered yet, and the search index contains the source. The index covers the
-- version, so that the job that looks for missing rows reads no texts.
create table article_texts (
  article_id bigint references all_articles on delete cascade,
  version    integer not null,
  text       text not null,
  primary key (article_id) include (version)
);

create function remove_article_html() returns trigger language plpgsql as $$
begin
  delete from article_html where article_id = new.id;
  delete from article_texts where article_id = new.id;
  return null;
end $$;
create trigger article_content_changed after update of content on all_articles
  for each row when (old.content <> new.content) execute function remove_article_html();

-- The form in which texts are compared: NFC, lower case, without characters that readers do not see, typographic characters as on a keyboard, words
-- separated by single spaces. lower() alone depends on the locale of the database: with some locales it does not change letters beyond ASCII, with
-- Turkish ones it maps I to ı. The mappings of letters beyond ASCII are those that are the same with every Unicode version since 9; two differ from
-- lower(): İ loses its dot above, and final sigma maps to sigma, as in Unicode case folding. translate() compares each character with each in its
-- list, so it is called only for blocks of which the text contains a capital letter. `fold` in src/services/rendering/snippet.ts has the same
-- typographic characters.
create function search_fold(source text) returns text
language plpgsql immutable strict parallel safe as $$
declare folded text := source;
begin
  if folded ~ '[\u00ad\u200b\u2060\ufeff]' collate "C" then
    folded := regexp_replace(folded, '[\u00ad\u200b\u2060\ufeff]+' collate "C", '', 'g');
  end if;
  if folded is not nfc normalized then folded := normalize(folded, nfc); end if;
  folded := regexp_replace(folded,
    '[\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+' collate "C", ' ', 'g');
  folded := lower(btrim(folded) collate "C");
  if folded ~ '[‘’‚‛ʼ′“”„‟″‐‑‒–—―−〜～∼・‧ㆍ]' collate "C" then folded := translate(folded, '‘’‚‛ʼ′“”„‟″‐‑‒–—―−〜～∼・‧ㆍ', '''''''''''''"""""-------~~~···'); end if;
  if folded ~ '[ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎ]' collate "C" then folded := translate(folded, 'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎ', 'àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįiĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏ'); end if;
  if folded ~ '[ḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾ]' collate "C" then folded := translate(folded, 'ḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾ', 'ḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿ'); end if;
  if folded ~ '[ͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿ]' collate "C" then folded := translate(folded, 'ͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿ', 'ͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽ'); end if;
  if folded ~ '[ἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼ]' collate "C" then folded := translate(folded, 'ἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼ', 'ἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳ'); end if;
  if folded ~ '[ЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ]' collate "C" then folded := translate(folded, 'ЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮ', 'ѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯ'); end if;
  if folded ~ '[ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ]' collate "C" then folded := translate(folded, 'ԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖ', 'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆ'); end if;
  if folded ~ '[ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯ]' collate "C" then folded := translate(folded, 'ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯ', 'ⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿ'); end if;
  if folded ~ '[ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ]' collate "C" then folded := translate(folded, 'ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏ', 'ⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩ'); end if;
  if folded ~ '[ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ]' collate "C" then folded := translate(folded, 'ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ', 'ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ'); end if;
  return folded;
end $$;

-- The index keys of an article, from its folded texts: of each word, every character, every pair of adjacent characters, and the substring of up to
-- 16 characters from every position (if it has at least three). A search for one or two characters matches a key exactly, a longer one matches a key
-- prefix. Keys of the title begin with U+0001, those of the tags with U+0002, which folded text cannot contain; keys without a mark cover title, tags
-- and content together.
-- Title and tags come first, then all words in their order, until the keys together take 900 kB (a tsvector holds less than 1 MB), and of one word
-- its first 20,000 characters. Words are processed in slices of 48 characters plus the 15 after them: substr() on a long text counts characters from
-- its beginning.
-- The index calls this function, so it uses only objects of pg_catalog, independent of the search_path.
create function search_keys(title text, tags text, content text) returns tsvector
language plpgsql immutable strict parallel safe cost 10000 as $$
declare
  mark text;
  rest text;
  slice text;
  size integer;
  positions integer;
  bytes numeric := 0;
  keys text[] := '{}';
begin
  for mark, rest in
    select field.mark, left(words.found, 20000)
    from (values (1, E'\x01', title), (2, E'\x02', tags), (3, '', title || ' ' || tags || ' ' || content))
           field (place, mark, body),
      lateral (select part collate "C" as found, min(place) as place
               from unnest(string_to_array(field.body, ' ')) with ordinality parts (part, place)
               where part <> '' group by 1) words
    order by field.place, words.place
  loop
    loop
      slice := left(rest, 63);
      size := length(slice);
      positions := case when octet_length(slice) < octet_length(rest) then 48 else size end;
      for start in 1..positions loop
        keys := keys || (mark || substr(slice, start, 1));
        if start < size then keys := keys || (mark || substr(slice, start, 2)); end if;
        if start + 1 < size then keys := keys || (mark || substr(slice, start, 16)); end if;
      end loop;
      bytes := bytes + octet_length(left(slice, positions)) * (3 + least(16, (size + 1) / 2.0));
      if bytes > 900000 then return array_to_tsvector(keys); end if;
      exit when positions = size;
      rest := substr(rest, 49);
    end loop;
  end loop;
  return array_to_tsvector(keys);
end $$;

-- The two functions for queries take folded text. A word longer than a key is looked up by all its substrings of 16 characters, so that no text has
-- to be read. A key of 16 characters is matched exactly, not as a prefix: no key is longer.
create function search_term(word text, mark text) returns text
language sql immutable strict parallel safe as $$
  select string_agg('''' || replace(replace(mark || piece, '\', '\\'), '''', '''''') || '''' ||
                    case when length(piece) between 3 and 15 then ':*' else '' end, ' & ')
  from unnest(case when length(word) > 16
                then array(select substr(word, start, 16) from generate_series(1, length(word) - 15) start)
                else array[word] end) piece
$$;

-- A tsquery that requires every word to occur in one of the marked fields.
create function search_query(words text, marks text[]) returns tsquery
language sql immutable strict parallel safe as $$
  select coalesce(string_agg(
    '(' || (select string_agg(search_term(word, mark), ' | ') from unnest(marks) mark) || ')', ' & '), '')::tsquery
  from unnest(string_to_array(words, ' ')) word where word <> ''
$$;

-- One row per public article.
create table article_search (
  article_id  bigint primary key references all_articles on delete cascade,
  created_at  timestamptz(3) not null,
  member_id   bigint not null,
  category_id bigint not null,
  title       text not null,
  tags        text not null,
  content     text not null
) with (fillfactor = 90);
create index article_search_newest on article_search (created_at desc, article_id desc);
create index article_search_keys on article_search using gin (search_keys(title, tags, content));
-- ANALYZE would call the function for 30,000 rows; the only query plan for this table needs no statistics.
alter index article_search_keys alter column 1 set statistics 0;

-- The search index of private articles is a table of its own: the statements of the public search, their plans and their estimates do not depend on
-- private articles. The row of an article moves when its visibility changes.
create table private_article_search (
  article_id  bigint primary key references all_articles on delete cascade,
  created_at  timestamptz(3) not null,
  member_id   bigint not null,
  category_id bigint not null,
  title       text not null,
  tags        text not null,
  content     text not null
) with (fillfactor = 90);
create index private_article_search_newest on private_article_search (member_id, created_at desc, article_id desc);
create index private_article_search_keys on private_article_search using gin (search_keys(title, tags, content));
alter index private_article_search_keys alter column 1 set statistics 0;

create function search_tags(article bigint) returns text
language sql stable as $$
  select coalesce(string_agg(search_fold(t.name), ' ' order by x.position), '')
  from all_article_tags x join tags t on t.id = x.tag_id where x.article_id = article
$$;

-- The columns of both tables; `content` ends with the description. Not their type: a restore drops the tables of an unused database before the functions.
create function article_search_row(article bigint) returns table (
  article_id bigint, created_at timestamptz, member_id bigint, category_id bigint, title text, tags text, content text
) language sql stable as $$
  select a.id, a.created_at, a.member_id, a.category_id, search_fold(a.title), search_tags(a.id),
         search_fold(concat_ws(' ', coalesce(t.text, a.content), a.description))
  from all_articles a left join article_texts t on t.article_id = a.id where a.id = article
$$;

-- The triggers are deferred to the commit of the same transaction, so that an article that is inserted first and tagged afterwards is indexed once.

-- Deferred to the commit: the article may have been deleted, or its visibility changed again.
create function article_search_add() returns trigger language plpgsql as $$
begin
  if (select is_private from all_articles where id = new.id) then
    delete from article_search where article_id = new.id;
    insert into private_article_search select * from article_search_row(new.id) on conflict do nothing;
  else
    delete from private_article_search where article_id = new.id;
    insert into article_search select * from article_search_row(new.id) on conflict do nothing;
  end if;
  return null;
end $$;
create constraint trigger article_search_add after insert on all_articles
  deferrable initially deferred for each row execute function article_search_add();
create constraint trigger article_search_moved after update of is_private on all_articles
  deferrable initially deferred for each row when (old.is_private <> new.is_private) execute function article_search_add();

-- Updates only the texts of the article, the other triggers the other columns: concurrent transactions that change
-- different parts cannot overwrite each other.
create function article_search_rewrite() returns trigger language plpgsql as $$
begin
  update article_search s set title = r.title, content = r.content
  from article_search_row(new.id) r where s.article_id = new.id;
  if not found then
    update private_article_search s set title = r.title, content = r.content
    from article_search_row(new.id) r where s.article_id = new.id;
  end if;
  return null;
end $$;
create constraint trigger article_search_rewrite after update of title, content, description on all_articles
  deferrable initially deferred for each row
  when ((old.title, old.content, old.description) is distinct from (new.title, new.content, new.description))
  execute function article_search_rewrite();

-- In the transaction that writes the article, the triggers above have already written the same.
create function article_search_text() returns trigger language plpgsql as $$
begin
  update article_search s set title = r.title, content = r.content
  from article_search_row(new.article_id) r
  where s.article_id = new.article_id and (s.title, s.content) is distinct from (r.title, r.content);
  update private_article_search s set title = r.title, content = r.content
  from article_search_row(new.article_id) r
  where s.article_id = new.article_id and (s.title, s.content) is distinct from (r.title, r.content);
  return null;
end $$;
create constraint trigger article_search_text after insert or update of text on article_texts
  deferrable initially deferred for each row execute function article_search_text();
-- Results of searches and their snippets change. By its name after the search index: the row of a stamp is locked as late as possible.
create constraint trigger article_texts_stamped after insert or update of text on article_texts
  deferrable initially deferred for each row execute function public_article_stamped('articles');

-- Deleting a category can move thousands of articles: these columns are not in the GIN index, so it is not updated.
create function article_search_file() returns trigger language plpgsql as $$
begin
  update article_search s set created_at = a.created_at, member_id = a.member_id, category_id = a.category_id
  from all_articles a where a.id = new.id and s.article_id = a.id;
  if not found then
    update private_article_search s set created_at = a.created_at, member_id = a.member_id, category_id = a.category_id
    from all_articles a where a.id = new.id and s.article_id = a.id;
  end if;
  return null;
end $$;
create constraint trigger article_search_file after update of created_at, member_id, category_id on all_articles
  deferrable initially deferred for each row
  when ((old.created_at, old.member_id, old.category_id) is distinct from (new.created_at, new.member_id, new.category_id))
  execute function article_search_file();

-- Locks the row first, so that the next statement sees what a concurrent transaction has committed.
create function article_search_tag(article bigint) returns void language plpgsql as $$
declare
  known text;
  tagged text;
begin
  select tags into known from article_search where article_id = article for update;
  if found then
    tagged := search_tags(article);
    if tagged <> known then update article_search set tags = tagged where article_id = article; end if;
    return;
  end if;
  select tags into known from private_article_search where article_id = article for update;
  if not found then return; end if;
  tagged := search_tags(article);
  if tagged <> known then update private_article_search set tags = tagged where article_id = article; end if;
end $$;

create function article_search_tagged() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform article_search_tag(old.article_id); end if;
  if tg_op <> 'DELETE' then perform article_search_tag(new.article_id); end if;
  return null;
end $$;
create constraint trigger article_search_tagged after insert or update or delete on all_article_tags
  deferrable initially deferred for each row execute function article_search_tagged();

create function article_search_tag_renamed() returns trigger language plpgsql as $$
begin
  perform article_search_tag(article_id) from all_article_tags where tag_id = new.id;
  return null;
end $$;
create constraint trigger article_search_tag_renamed after update of name on tags
  deferrable initially deferred for each row when (old.name <> new.name) execute function article_search_tag_renamed();
