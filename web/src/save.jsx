// What is to be written into files: shown as a diff, written on consent.
import { h } from "preact";
import { useState } from "preact/hooks";

export function Save({ id, title, link, service, request, about }) {
  const [offer, setOffer] = useState(null);
  const [said, setSaid] = useState(null);
  const ask = async (shown) => {
    const got = await link.call(service, shown ? { ...request, shown } : request).catch((e) => ({ accepted: false, answer: e.message }));
    setSaid(got);
    setOffer(got.diff && !got.written ? got.diff : null);
  };
  return <section aria-labelledby={id}><h2 id={id}>{title}</h2><p class="soft">{about}</p>
    <div class="row"><button onClick={() => ask()}>Show the change</button>
      <button disabled={!offer} onClick={() => ask(offer)}>Write it</button></div>
    {said && <p role="status" class={said.accepted ? "go" : "bad"}>{said.answer}</p>}
    {offer && <pre class="diff" tabIndex={0}>{offer.split("\n").map((l, i) =>
      <span key={i} class={l.startsWith("+") ? "go" : l.startsWith("-") ? "bad" : "soft"}>{l + "\n"}</span>)}</pre>}
  </section>;
}
