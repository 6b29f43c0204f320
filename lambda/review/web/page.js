// The page of a review. It shows the stream and keeps no state, so a reload shows the same
// again. You must write everything from a contract or a model as text, never as HTML.
'use strict';

const at = (id) => document.getElementById(id);
const root = document.body.dataset.review;
const token = new URLSearchParams(location.search).get('token') || '';
const withToken = (path) => `${root}${path}${path.includes('?') ? '&' : '?'}token=${encodeURIComponent(token)}`;
const call = (path, method = 'GET', body = undefined, headers = {}) =>
  fetch(root + path, { method, body, headers: { Accept: 'application/json', Authorization: `Bearer ${token}`, ...headers } });

const severities = ['critical', 'high', 'medium', 'low', 'info', 'question'];
const items = new Map(); // of the list, by the finding's sequence number: finding, node, and the unanswered action with its key
let last = 0; // sequence number of the latest finding
let source; // of events

function note(sentence) { at('note').textContent = sentence; }

// The contract: its bytes, and the pieces of text on the page, each between two offsets in
// these bytes. A quote splits the pieces at its ends.
let bytes;
let pieces = [];
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function piece(start, end, tag) {
  const node = document.createElement(tag);
  node.textContent = decoder.decode(bytes.subarray(start, end));
  return { start, end, node };
}

function split(offset) {
  const i = pieces.findIndex((p) => p.start < offset && offset < p.end);
  if (i < 0) return;
  const old = pieces[i];
  const halves = [piece(old.start, offset, old.node.tagName), piece(offset, old.end, old.node.tagName)];
  old.node.replaceWith(...halves.map((p) => p.node));
  pieces.splice(i, 1, ...halves);
}

function mark(finding) {
  placesOf(finding).forEach(markPlace);
}

function markPlace(finding) {
  if (!bytes || finding.end_offset <= finding.start_offset) return;
  split(finding.start_offset);
  split(finding.end_offset);
  for (const p of within(finding)) {
    if (p.node.tagName === 'MARK') continue;
    const marked = piece(p.start, p.end, 'mark');
    p.node.replaceWith(marked.node);
    p.node = marked.node;
  }
}

// placesOf returns the places of a finding's quotes: some findings are about two clauses.
const placesOf = (finding) => [finding,
  { start_offset: finding.second_start_offset || 0, end_offset: finding.second_end_offset || 0 }];

const within = (finding) =>
  pieces.filter((p) => finding.start_offset <= p.start && p.end <= finding.end_offset);

async function loadText() {
  const response = await call('/text');
  if (!response.ok) throw new Error(response.status);
  bytes = new Uint8Array(await response.arrayBuffer());
  pieces = [piece(0, bytes.length, 'span')];
  at('text').replaceChildren(pieces[0].node);
  for (const { finding } of items.values()) mark(finding);
}

// select shows the quote of a finding in the contract.
function select(seq) {
  document.querySelectorAll('mark.current').forEach((m) => m.classList.remove('current'));
  document.querySelectorAll('#findings [aria-current]').forEach((li) => li.removeAttribute('aria-current'));
  const { finding, node } = items.get(seq);
  node.setAttribute('aria-current', 'true');
  node.classList.toggle('unfolded');
  node.querySelector('.title').setAttribute('aria-expanded', !folded(items.get(seq)));
  const marks = placesOf(finding).flatMap(within).map((p) => p.node).filter((n) => n.tagName === 'MARK');
  marks.forEach((m) => m.classList.add('current'));
  if (marks.length > 0) marks[0].scrollIntoView({ block: 'center' });
}

const nameOf = (finding) => finding.number ? `F${finding.number}` : String(finding.seq);
const folded = ({ finding, node }) => finding.state === 'rejected' && !node.classList.contains('unfolded');
const done = { accept: 'accepted', reject: 'rejected', reopen: 'reopened', comment: 'commented', assign: 'assigned' };

function fill(item, finding) {
  const { node } = item;
  item.finding = finding;
  const set = (selector, text) => {
    const part = node.querySelector(selector);
    part.textContent = text;
    part.hidden = text === '';
  };
  const severity = severities.includes(finding.severity) ? finding.severity : 'info';
  node.querySelector('.severity').className = `severity ${severity}`;
  set('.severity', severity);
  set('.name', finding.title);
  const first = items.get(finding.duplicate_of)?.finding || { seq: finding.duplicate_of };
  const repeated = finding.duplicate_of ? ` · repeats finding ${nameOf(first)}` : '';
  const withdrawn = finding.withdrawn ? ' · withdrawn: no longer holds' : '';
  set('.kind', `${nameOf(finding)} · ${finding.category} · ${finding.analyst}${repeated}${withdrawn}`);
  for (const state of ['accepted', 'rejected']) node.classList.toggle(state, finding.state === state);
  node.classList.toggle('repeats', Boolean(finding.duplicate_of));
  node.classList.toggle('withdrawn', Boolean(finding.withdrawn));
  set('.explanation', finding.explanation);
  set('.quote', finding.quote);
  set('.second', finding.second_quote || '');
  set('.fallback', finding.fallback && `Acceptable: ${finding.fallback}`);
  fillDecision(item, set);
  choose(item);
}

function fillDecision(item, set) {
  const { finding, node } = item;
  const decided = [];
  if (finding.state === 'accepted' || finding.state === 'rejected') {
    const earlier = finding.carried ? ', in an earlier review of this clause' : '';
    const reason = finding.reason ? `: ${finding.reason}` : '';
    decided.push(`${finding.state} by ${finding.decided_by} on ${finding.decided_at.slice(0, 10)}${earlier}${reason}`);
  }
  if (finding.assignee) decided.push(`assigned to ${finding.assignee}`);
  set('.decided', decided.join(' · '));
  node.querySelector('.history').replaceChildren(...(finding.history || []).map((a) => {
    const li = document.createElement('li');
    li.textContent = `${a.at.slice(0, 10)} ${a.by} ${done[a.action]}${a.text ? `: ${a.text}` : ''}`;
    return li;
  }));
  node.querySelector('.act').hidden = Boolean(finding.duplicate_of || finding.withdrawn);
  const hide = { accept: finding.state === 'accepted', reject: finding.state === 'rejected', reopen: !decided.length || finding.state === 'open' };
  for (const [action, hidden] of Object.entries(hide)) node.querySelector(`[value=${action}]`).hidden = hidden;
  node.querySelector('.assignee').value = finding.assignee || '';
  node.querySelector('.title').setAttribute('aria-expanded', !folded(item));
}

const before = (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.start_offset - b.start_offset || a.seq - b.seq;

// add shows a finding once, the heaviest first.
function add(finding) {
  if (finding.seq <= last) return;
  last = finding.seq;
  const node = at('finding').content.firstElementChild.cloneNode(true);
  node.dataset.seq = finding.seq;
  node.querySelector('button').addEventListener('click', () => select(finding.seq));
  node.querySelectorAll('.act button').forEach((b) => b.addEventListener('click', () => act(finding.seq, b.value)));
  const item = { finding, node };
  const next = Array.from(at('findings').children).find((li) => before(finding, items.get(Number(li.dataset.seq)).finding) < 0);
  items.set(finding.seq, item);
  at('findings').insertBefore(node, next || null);
  at('none').hidden = true;
  offer(finding.analyst);
  fill(item, finding);
  mark(finding);
}

// offer adds an analyst to the filter.
function offer(analyst) {
  const options = at('analyst').options;
  if (Array.from(options).some((o) => o.value === analyst)) return;
  options.add(new Option(analyst, analyst));
  if (chosen.get('analyst') === analyst) at('analyst').value = analyst;
}

// The filter is kept in the page's address, so that a reload shows the same again.
const filters = { severity: 'severity', analyst: 'analyst', state: 'decision' };
const chosen = new URLSearchParams(location.search);

function choose({ finding, node }) {
  const has = (key, value) => !chosen.get(key) || chosen.get(key) === value;
  const decidable = !finding.duplicate_of && !finding.withdrawn;
  node.hidden = !(has('severity', finding.severity) && has('analyst', finding.analyst) &&
    (!chosen.get('state') || decidable && has('state', finding.state)));
  const all = Array.from(items.values());
  const shown = all.filter((i) => !i.node.hidden).length;
  at('shown').textContent = shown === all.length ? '' : `${shown} of ${all.length} findings shown`;
}

for (const [key, id] of Object.entries(filters)) {
  at(id).value = chosen.get(key) || '';
  at(id).addEventListener('change', () => {
    if (at(id).value) chosen.set(key, at(id).value);
    else chosen.delete(key);
    history.replaceState(null, '', `?${chosen}`);
    items.forEach(choose);
  });
}

// The browser may forbid its storage; then the person enters the name again.
const remembered = 'matchbook-name';
const storage = (use) => { try { return use(localStorage); } catch { return null; } };
at('by').value = storage((s) => s.getItem(remembered)) || at('by').value;
at('by').addEventListener('change', () => storage((s) => s.setItem(remembered, at('by').value.trim())));

// act sends a person's action about a finding. The same one sent again has the same key, so that
// it acts once although the first answer was lost.
async function act(seq, action) {
  const item = items.get(seq);
  const { finding, node } = item;
  const problem = node.querySelector('.problem');
  const refuse = (sentence, field) => {
    problem.textContent = sentence;
    problem.hidden = false;
    if (field) field.focus();
  };
  problem.hidden = true;
  const text = node.querySelector('textarea');
  const body = { action, by: at('by').value.trim(), version: finding.version || 0 };
  if (!body.by) return refuse('Enter your name. It is kept with what you do.', at('by'));
  if (action === 'assign') body.assignee = node.querySelector('.assignee').value.trim();
  else body[action === 'comment' ? 'comment' : 'reason'] = text.value.trim();
  if ((action === 'reject' || action === 'comment') && !text.value.trim()) {
    node.querySelector('details').open = true;
    return refuse(action === 'reject' ? 'Enter a reason. It is kept with your name.' : 'Enter a comment.', text);
  }
  const content = JSON.stringify(body);
  if (item.content !== content) Object.assign(item, { content, key: crypto.randomUUID() });
  const buttons = node.querySelectorAll('.act button');
  buttons.forEach((b) => { b.disabled = true; });
  const response = await call(`/findings/${seq}`, 'POST', content, { 'Content-Type': 'application/json', 'Idempotency-Key': item.key }).catch(() => null);
  const answer = response && await response.json().catch(() => null);
  buttons.forEach((b) => { b.disabled = false; });
  if (!answer || response.status >= 500) return refuse('That didn\'t work. Try again.');
  delete item.content;
  if (response.status === 409) {
    fill(item, answer.finding);
    return refuse(`Nothing was done: ${answer.error}.`);
  }
  if (!response.ok) return refuse(answer.error);
  if (action !== 'assign') text.value = '';
  node.querySelector('details').open = false;
  node.classList.remove('unfolded');
  fill(item, answer);
  node.querySelector('.title').focus();
}

function show(review) {
  at('status').textContent = review.status;
  const done = review.chunks - review.chunks_open;
  at('progress').max = Math.max(review.chunks, 1);
  at('progress').value = done;
  const money = (usd) => `$${usd.toFixed(4)}`;
  const count = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const budget = review.budget_usd > 0 ? ` of at most ${money(review.budget_usd)}` : '';
  const price = review.model ? `${count(review.calls, 'call')} of ${review.model}, ${money(review.cost_usd)}${budget}` : 'by rules, at no cost';
  at('counts').textContent = `${done} of ${count(review.chunks, 'chunk')}, ${count(review.findings, 'finding')}, ${price}`;
  if (review.certificate && review.over) at('counts').textContent += ` · ${review.certificate.summary}`;
  at('cancel').hidden = review.over;
  at('cancel').disabled = review.status === 'cancelling';
  at('retry').hidden = !review.over || review.status === 'completed';
  at('retry').disabled = false;
  at('report').hidden = !review.over;
  showGaps(review.unread || []);
  if (review.error) note(review.error);
}

function showGaps(unread) {
  at('gaps').hidden = unread.length === 0;
  at('gaps').querySelector('summary').textContent = `Not read: ${unread.length}`;
  at('gaps').querySelector('ul').replaceChildren(...unread.map((g) => {
    const li = document.createElement('li');
    const place = g.kind === 'whole' ? '' : `chunk ${g.chunk + 1}`; // the heading names the whole
    li.textContent = [place, g.heading, g.stage, g.reason].filter(Boolean).join(' · ');
    return li;
  }));
}

// Reloads the findings, because only the last step marks repeated and withdrawn ones.
async function reload() {
  for (let after = 0, more = true; more;) {
    const response = await call(`/findings?after=${after}`);
    if (!response.ok) return;
    const answer = await response.json();
    for (const finding of answer.findings) {
      after = finding.seq;
      if (!items.has(finding.seq)) add(finding);
      fill(items.get(finding.seq), finding);
    }
    more = answer.more;
  }
}

function connect() {
  if (source) source.close();
  source = new EventSource(withToken(`/events?after=${last}`));
  source.addEventListener('open', () => note(''));
  source.addEventListener('finding', (e) => add(JSON.parse(e.data)));
  source.addEventListener('progress', (e) => show(JSON.parse(e.data)));
  source.addEventListener('end', async (e) => {
    source.close();
    const review = JSON.parse(e.data);
    await reload().catch(() => note('Could not refresh the findings. Reload the page.'));
    show(review);
    at('none').textContent = 'No findings.';
    document.body.dataset.ended = review.status;
  });
  source.addEventListener('error', () => {
    note('Reconnecting …');
    if (source.readyState === EventSource.CLOSED) setTimeout(again, 1000); // refused: EventSource gives up
  });
}

async function again() {
  const response = await call('').catch(() => null);
  if (response && response.status === 404) note('This link has expired. Ask for a new one.');
  else connect();
}

async function change(path, button) {
  button.disabled = true;
  const response = await call(path, 'POST').catch(() => null);
  if (!response || !response.ok) {
    button.disabled = false;
    note(response?.status === 409 ? 'The review is still stopping. Try again in a few seconds.' : 'That didn\'t work. Try again.');
    return;
  }
  at('status').textContent = (await response.json()).status;
  if (path === '/retry') {
    delete document.body.dataset.ended;
    connect();
  }
}

at('cancel').addEventListener('click', () => change('/cancel', at('cancel')));
at('retry').addEventListener('click', () => change('/retry', at('retry')));
at('report').href = withToken('/report');
loadText().catch(() => note('Could not load the contract. Reload the page.'));
connect();
