// The craft in its world: body, what each propulsor gives, trail, setpoint, targets, ground or water.
import {
  ArrowHelper, AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, DirectionalLight, GridHelper,
  Group, Line, LineBasicMaterial, LineSegments, EdgesGeometry, Mesh, MeshLambertMaterial, PerspectiveCamera,
  RingGeometry, MeshBasicMaterial, DoubleSide, Scene, Vector3, WebGLRenderer, AxesHelper,
} from "three";

const kTrail = 3000;

export class View3D {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "low-power" });
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(45, 1, 0.05, 2000);
    this.camera.up.set(0, 0, 1);
    this.scene.add(new AmbientLight(0xffffff, 1.4));
    const sun = new DirectionalLight(0xffffff, 2);
    sun.position.set(3, -4, 8);
    this.scene.add(sun);
    this.body = new Group();
    this.wanted = new Group();
    this.scene.add(this.body, this.wanted);
    this.targets = new Group();
    this.ring = new RingGeometry(0.7, 1, 32);
    this.scene.add(this.targets);
    this.trail = { n: 0, at: new Float32Array(3 * kTrail) };
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.trail.at, 3));
    this.line = new Line(geometry, new LineBasicMaterial({ color: 0xe69f00 }));
    this.line.frustumCulled = false;
    this.scene.add(this.line);
    // down, or up, to where z is 0
    this.plumb = new Line(new BufferGeometry(), new LineBasicMaterial({ color: 0x888888 }));
    this.plumb.frustumCulled = false;
    this.scene.add(this.plumb);
    this.turn = { azimuth: -2.2, height: 0.5, distance: 6 };
    this.centre = new Vector3();
    this.follow = true;
    this.mouse();
  }

  vehicle(v) {
    this.body.clear();
    this.wanted.clear();
    let reach = 0.15;
    for (const p of v.propulsors) reach = Math.max(reach, Math.hypot(...p.p));
    this.reach = reach;
    this.turn.distance = 10 * reach;
    const box = new BoxGeometry(1.2 * reach, 0.8 * reach, 0.45 * reach);
    this.body.add(new Mesh(box, new MeshLambertMaterial({ color: 0x5f7387, transparent: true, opacity: 0.85 })));
    const nose = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(0.6 * reach, 0, 0), 0.5 * reach, 0xf0e442, 0.2 * reach, 0.12 * reach);
    this.body.add(nose);
    this.wanted.add(new LineSegments(new EdgesGeometry(box), new LineBasicMaterial({ color: 0x009e73 })));
    this.wanted.add(new AxesHelper(0.5 * reach));
    this.full = 0;
    for (const c of v.channels)
      this.full = Math.max(this.full, Math.hypot(...c.push) * Math.max(Math.abs(c.lower), Math.abs(c.upper)));
    if (!(this.full > 0) || !Number.isFinite(this.full)) this.full = 1;
    this.channels = v.channels;
    this.arrows = v.propulsors.map((p) => {
      const arrow = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(...p.p), 0.001, 0x0072b2);
      this.body.add(arrow);
      return arrow;
    });
    if (this.grid) this.scene.remove(this.grid);
    const size = Math.max(20, 40 * reach);
    this.grid = new GridHelper(size, Math.round(size), 0x888888, 0x888888);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.material.transparent = true;
    this.grid.material.opacity = 0.6;
    this.scene.add(this.grid);
    this.trail.n = 0;
    this.stale = true;
  }

  moment(m) {
    if (!this.arrows) return;
    if (m.validity !== "missing") {
      this.body.position.set(...m.p);
      this.body.quaternion.set(...m.q);
      this.track(m.p);
    }
    this.plumb.geometry.setFromPoints([new Vector3(...m.p), new Vector3(m.p[0], m.p[1], 0)]);
    this.wanted.position.set(...m.setpoint.p);
    this.wanted.quaternion.set(...m.setpoint.q);
    this.wanted.visible = m.setpoint.mode.includes("position");
    const push = this.arrows.map(() => new Vector3());
    this.channels.forEach((c, i) => {
      const effort = m.effort[i] ?? 0;
      if (Number.isFinite(effort)) push[c.propulsor].addScaledVector(new Vector3(...c.push), effort);
    });
    this.arrows.forEach((arrow, i) => {
      const length = (push[i].length() / this.full) * 2 * this.reach;
      arrow.visible = length > 0.01 * this.reach;
      if (!arrow.visible) return;
      arrow.setDirection(push[i].normalize());
      arrow.setLength(length, 0.25 * length, 0.15 * length);
    });
    const seen = m.targets ?? [];
    while (this.targets.children.length < seen.length)
      this.targets.add(new Mesh(this.ring, new MeshBasicMaterial({ side: DoubleSide })));
    this.targets.children.forEach((ring, i) => {
      const t = seen[i];
      ring.visible = t !== undefined;
      if (!t) return;
      ring.material.color.set(t.kind === "pad" ? 0x0072b2 : 0xcc79a7);
      ring.scale.setScalar(Math.max(0.2, 3 * t.sigma_m));
      ring.position.set(...t.p);
    });
    this.stale = true;
  }

  track(p) {
    const { at } = this.trail;
    const last = 3 * (this.trail.n - 1);
    if (last >= 0 && Math.hypot(at[last] - p[0], at[last + 1] - p[1], at[last + 2] - p[2]) < 0.02 * this.reach) return;
    if (this.trail.n === kTrail) {
      at.copyWithin(0, 3);
      this.trail.n -= 1;
    }
    at.set(p, 3 * this.trail.n);
    this.trail.n += 1;
    this.line.geometry.setDrawRange(0, this.trail.n);
    this.line.geometry.attributes.position.needsUpdate = true;
  }

  mouse() {
    const held = new Map();
    let gap = 0;
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      held.set(e.pointerId, e);
    });
    for (const kind of ["pointermove", "wheel", "keydown"]) this.canvas.addEventListener(kind, () => { this.stale = true; });
    const up = (e) => { held.delete(e.pointerId); gap = 0; };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("pointermove", (e) => {
      const before = held.get(e.pointerId);
      if (!before) return;
      if (held.size === 1) {
        this.turn.azimuth -= 0.008 * (e.clientX - before.clientX);
        this.turn.height += 0.008 * (e.clientY - before.clientY);
      }
      held.set(e.pointerId, e);
      if (held.size === 2) {
        const [a, b] = [...held.values()];
        const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        if (gap > 0) this.zoom(gap / now);
        gap = now;
      }
    });
    this.canvas.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(0.001 * e.deltaY)); }, { passive: false });
    this.canvas.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[e.key];
      if (step) { this.turn.azimuth += step[0]; this.turn.height += step[1]; e.preventDefault(); }
      if (e.key === "+" || e.key === "-") this.zoom(e.key === "+" ? 0.9 : 1.1);
    });
  }
  zoom(by) {
    this.turn.distance = Math.min(800, Math.max(0.3, this.turn.distance * by));
  }

  draw(dark) {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return;
    // what has not changed stands as it was drawn
    if (!this.stale && this.dark === dark && this.w === w && this.h === h) return;
    this.stale = false;
    this.dark = dark;
    if (this.w !== w || this.h !== h) {
      this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
      this.renderer.setSize(w, h, false);
      this.camera.aspect = w / h;
      this.camera.updateProjectionMatrix();
      Object.assign(this, { w, h });
    }
    this.scene.background = new Color(dark ? 0x101820 : 0xe9eef3);
    const t = this.turn;
    t.height = Math.min(1.5, Math.max(-1.5, t.height));
    this.centre.lerp(this.body.position, 0.2);
    const level = Math.cos(t.height) * t.distance;
    this.camera.position.set(this.centre.x + level * Math.cos(t.azimuth), this.centre.y + level * Math.sin(t.azimuth), this.centre.z + Math.sin(t.height) * t.distance);
    this.camera.lookAt(this.centre);
    this.renderer.render(this.scene, this.camera);
  }
}
