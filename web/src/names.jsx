// Names that are longer than their place.
import { h, Fragment } from "preact";

/** May be broken behind each part, rather than within a word. */
export const broken = (name) => (name.match(/[^_.]+[_.]*|[_.]+/g) ?? []).map((part, i) => <Fragment key={i}>{i > 0 && <wbr />}{part}</Fragment>);
