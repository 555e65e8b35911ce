#version 450
// The water of a small game: waves, foam at the shore, and a sun that is reflected.

layout(constant_id = 0) const int SAMPLES = 4;
layout(constant_id = 1) const bool FOAM = true;
layout(constant_id = 2) const int STORM = 2;

#define PI 3.14159265
#define SATURATE(x) clamp(x, 0.0, 1.0)

layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 2) flat in int weather;
layout(location = 0) out vec4 color;

struct Wave {
    vec2 direction;
    float height;
    float span;
};

struct Light {
    vec3 direction;
    vec3 tint;
    float power;
};

layout(std140, binding = 0) uniform Scene {
    mat4 view;
    vec4 camera;
    Light sun;
    Light moon;
    float time;
    int count;
} scene;

layout(std430, binding = 1) readonly buffer Waves {
    Wave waves[];
};

layout(binding = 2) uniform sampler2D depths;
layout(binding = 3) uniform samplerCube sky;
layout(binding = 4) uniform sampler2D foams[2];

const vec3 DEEP = vec3(0.02, 0.09, 0.16);
const vec3 SHALLOW = vec3(0.12, 0.42, 0.45);
const float WEIGHTS[4] = float[4](0.4, 0.3, 0.2, 0.1);

float hash(vec2 p) {
    p = fract(p * vec2(123.34, 456.21));
    p += dot(p, p + 45.32);
    return fract(p.x * p.y);
}

float noise(vec2 p) {
    vec2 cell = floor(p);
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(hash(cell), hash(cell + vec2(1.0, 0.0)), f.x);
    float high = mix(hash(cell + vec2(0.0, 1.0)), hash(cell + 1.0), f.x);
    return mix(low, high, f.y);
}

vec3 displace(in Wave wave, vec2 at, inout vec3 tangent) {
    float k = 2.0 * PI / wave.span;
    float phase = k * dot(wave.direction, at) - sqrt(9.8 * k) * scene.time;
    float slope = wave.height * k * cos(phase);
    tangent += vec3(wave.direction.x * slope, 1.0 - abs(slope) * 0.5, wave.direction.y * slope);
    return vec3(0.0, wave.height * sin(phase), 0.0);
}

vec3 surface(vec2 at, out vec3 normal) {
    vec3 sum = vec3(0.0);
    vec3 tangent = vec3(0.0);
    for (int i = 0; i < min(scene.count, waves.length()); i++) {
        if (waves[i].height < 0.01) {
            continue;
        }
        sum += displace(waves[i], at, tangent);
    }
    normal = normalize(tangent + vec3(0.0, 0.001, 0.0));
    return sum;
}

float roughness(float wind) {
    float result = 0.1;
    switch (weather) {
        case 0:
            result = 0.02;
            break;
        case 1:
            result = 0.05 + wind * 0.1;
            break;
        case STORM:
            result = 0.3 + noise(uv * 40.0) * wind;
            break;
        default:
            result = mix(0.1, 0.2, wind);
    }
    return SATURATE(result);
}

vec3 reflected(vec3 eye, vec3 normal, Light light, float rough) {
    vec3 bounced = reflect(-eye, normal);
    float shine = pow(max(dot(bounced, light.direction), 0.0), 1.0 / max(rough * rough, 1e-4));
    vec3 ambient = textureLod(sky, bounced, rough * 6.0).rgb;
    return ambient + light.tint * light.power * shine;
}

vec3 foam(vec2 at, float depth) {
    vec3 sum = vec3(0.0);
    float edge = 1.0 - smoothstep(0.0, 1.5, depth);
    for (int i = 0; i < SAMPLES; ++i) {
        vec2 drift = at * float(i + 1) + vec2(scene.time * 0.03, noise(at));
        sum += texture(foams[i & 1], drift).rgb * WEIGHTS[min(i, 3)];
    }
    return sum * edge;
}

void main() {
    vec3 normal;
    vec3 wave = surface(position.xz, normal);
    vec3 eye = normalize(scene.camera.xyz - position - wave);
    float depth = texture(depths, uv).r * 30.0 - wave.y;
    if (depth < 0.0) {
        discard;
    }
    float rough = roughness(length(scene.sun.direction.xz));
    float fresnel = 0.02 + 0.98 * pow(1.0 - max(dot(eye, normal), 0.0), 5.0);
    vec3 body = mix(SHALLOW, DEEP, SATURATE(depth / 12.0));
    vec3 light = reflected(eye, normal, scene.sun, rough);
    light += reflected(eye, normal, scene.moon, rough * 2.0) * 0.25;
    color = vec4(mix(body, light, fresnel), 1.0);
    if (FOAM) {
        color.rgb += foam(uv * 8.0, depth);
    }
    color.a = SATURATE(depth * 2.0);
}
