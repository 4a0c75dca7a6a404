// SPDX-License-Identifier: Apache-2.0
// What became of a tap's events at each sink.

import { get, post } from './api.js';
import { copy, fill, h } from './dom.js';
import { dateAndTime, duration, t, timeOfDay } from './i18n.js';
import { tone } from './tap-list.js';

/** The tab with the deliveries of one tap. */
export class DeliveryPanel {
  constructor() {
    this.said = h('p.note', { role: 'status' });
  }

  /** Shows the deliveries of a tap in a panel. */
  async show(panel, tap) {
    Object.assign(this, { panel, tap });
    fill(this.said);
    if (!tap.events.length) {
      fill(panel, h('p.note.pad', {}, t('delivery.noEvent')));
      return;
    }
    this.body = h('div.deliveries');
    fill(panel, h('div.pad', {}, this.said, this.body));
    await this.refresh();
  }

  /** Fetches them again, unless the panel shows something else by now. */
  async refresh(news = this.tap) {
    if (!this.body?.isConnected) return;
    this.tap = news;
    const { tap, body } = this;
    this.turn = (this.turn ?? 0) + 1;
    const { turn } = this;
    try {
      const lists = await Promise.all(tap.events.map((event) => get(`/v1/deliveries?event=${encodeURIComponent(event.id)}&limit=100`)));
      // An answer that was overtaken by a later one tells nothing.
      if (turn !== this.turn || body !== this.body || !body.isConnected) return;
      const focused = document.activeElement?.id;
      // A body that was opened stays open: it never changes.
      const opened = new Map([...body.querySelectorAll('.event-body')].map((each) => [each.id, [...each.childNodes]]));
      fill(body, tap.events.map((event, index) => this.event(event, lists[index].deliveries)));
      for (const [id, nodes] of opened) document.getElementById(id)?.append(...nodes);
      if (focused) document.getElementById(focused)?.focus();
    } catch (error) {
      fill(this.said, error.message);
    }
  }

  event(event, deliveries) {
    return h('section.event', {},
      h('h3', {}, t('delivery.event'), ' ', h('code', {}, event.id)),
      h('p.note', {}, [event.type, t('delivery.sequence', { sequence: event.sequence }),
        event.position === null || event.position === undefined ? t('delivery.notReleased') : t('delivery.position', { position: event.position })].filter(Boolean).join(' · '),
      ' ', event.position ? h('button', { type: 'button', id: `body-${event.id}`, onclick: () => this.showBody(event) }, t('delivery.body')) : null),
      h('div.event-body', { id: `body-of-${event.id}` }),
      deliveries.length ? deliveries.map((delivery) => this.delivery(event, delivery)) : h('p.note', {}, t('delivery.noSink')));
  }

  delivery(event, delivery) {
    const attempts = delivery.attempts ?? [];
    return h('article.delivery', {},
      h('h4', {}, delivery.sink, ' ', h('span.badge', { className: tone(delivery.state) }, t(`delivery.${delivery.state}`)),
        delivery.nextAttempt ? h('span.note', {}, ` ${t('delivery.next', { time: dateAndTime(delivery.nextAttempt) })}`) : null),
      attempts.length ? h('table.attempts', {},
        h('thead', {}, h('tr', {}, ['number', 'at', 'status', 'took', 'detail'].map((name) => h('th', { scope: 'col' }, t(`attempt.${name}`))))),
        h('tbody', {}, attempts.map((attempt, index) => h('tr', {},
          h('td', {}, index + 1), h('td', {}, timeOfDay(attempt.at, true)), h('td', {}, attempt.status ?? '–'),
          h('td', {}, duration(attempt.durationMs)), h('td.said-by', { lang: 'en' }, attempt.detail ?? ''))))) : h('p.note', {}, t('delivery.noAttempt')),
      h('p.buttons', {},
        h('button', { type: 'button', id: `resend-${event.id}-${delivery.sink}`, onclick: () => this.resend(event, delivery) }, t('delivery.resend')),
        h('button', { type: 'button', id: `curl-${event.id}-${delivery.sink}`, onclick: () => this.copyCurl(event) }, t('delivery.curl'))));
  }

  async resend(event, delivery) {
    await this.attempt(async () => {
      const { resent } = await post('/v1/deliveries/resend', { event: event.id, sink: delivery.sink });
      fill(this.said, t('delivery.resent', { count: resent }));
      await this.refresh();
    });
  }

  /** The event's body; immutable once it has a position. */
  async bodyOf(event) {
    const { events } = await get(`/v1/events?after=${event.position - 1}&limit=1`);
    return events[0];
  }

  async showBody(event) {
    await this.attempt(async () => {
      const place = document.getElementById(`body-of-${event.id}`);
      if (place.firstChild) fill(place);
      else fill(place, h('pre.body', { tabindex: '0' }, JSON.stringify(await this.bodyOf(event), null, 2)));
    });
  }

  /** A command that sends the same body to an endpoint of the reader's choice; it is not signed. */
  async copyCurl(event) {
    await this.attempt(async () => {
      const body = JSON.stringify(await this.bodyOf(event)).replaceAll("'", "'\\''");
      const done = await copy([`curl --fail-with-body "$SINK_URL"`, `-H 'content-type: application/cloudevents+json'`,
        `-H 'webhook-id: ${event.id}'`, `--data-binary '${body}'`].join(' \\\n  '));
      fill(this.said, t(done ? 'delivery.curlCopied' : 'notCopied'));
    });
  }

  async attempt(work) {
    try {
      await work();
    } catch (error) {
      fill(this.said, error.message);
    }
  }
}
