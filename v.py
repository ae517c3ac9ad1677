from t import *
# loops and recurrences beside numpy / python forms people write
def lrow(name, f, g, *arrays):
    jf=ko.jit(f); a=[ko.asarray(x) for x in arrays]
    r=np.asarray(jf(*a)); n=np.asarray(g(*arrays))
    t=cpu(lambda:jf(*a)); u=cpu(lambda:g(*arrays),n=2,sec=0.005)
    ok=np.allclose(r,n,rtol=1e-3,atol=1e-4)
    print(f"{t:9.1f} {u:9.1f} {t/u:6.3f} {'ok' if ok else 'DIFFERS'} {name}",flush=True)
import jax, jax.numpy as jnp
jax.config.update("jax_enable_x64",True)
def jrow(name,f,fj,*arrays):
    jf=ko.jit(f); a=[ko.asarray(x) for x in arrays]
    jj=jax.jit(fj); b=[jnp.asarray(x) for x in arrays]
    r=np.asarray(jf(*a)); n=np.asarray(jj(*b))
    t=cpu(lambda:jf(*a)); u=cpu(lambda:jj(*b).block_until_ready(),n=3)
    ok=np.allclose(r,n,rtol=1e-3,atol=1e-4)
    print(f"{t:9.1f} {u:9.1f} {t/u:6.3f} {'ok' if ok else 'DIFFERS'} {name}",flush=True)
x=fl(200,64); w=fl(64,64)*0.1; v=fl(1000)
jrow("rnn scan",lambda x,w: ko.scan(lambda h,xt: (ko.tanh(xt+h@w),h), ko.zeros(64), x)[1], lambda x,w: jax.lax.scan(lambda h,xt:(jnp.tanh(xt+h@w),h), jnp.zeros(64,jnp.float32), x)[1], x,w)
jrow("ema scan",lambda v: ko.scan(lambda h,xt: (0.9*h+0.1*xt,0.9*h+0.1*xt), ko.zeros(()), v)[1], lambda v: jax.lax.scan(lambda h,xt:(0.9*h+0.1*xt,0.9*h+0.1*xt), jnp.zeros((),jnp.float32), v)[1], v)
jrow("ema batch",lambda x: ko.scan(lambda h,xt: (0.9*h+0.1*xt,0.9*h+0.1*xt), ko.zeros(64), x)[1], lambda x: jax.lax.scan(lambda h,xt:(0.9*h+0.1*xt,0.9*h+0.1*xt), jnp.zeros(64,jnp.float32), x)[1], x)
A=fl(300,300); A=(A@A.T/300+np.eye(300)).astype(np.float32); b=fl(300)
jrow("cg 30",lambda A,b: ko.fori_loop(0,30,lambda i,s: (lambda x,r,p: (lambda Ap: (lambda a: (lambda r2: (x+a*p, r2, r2+(r2@r2)/(r@r)*p))(r-a*Ap))((r@r)/(p@Ap)))(A@p))(*s),(ko.zeros(300),b,b))[0],
 lambda A,b: jax.lax.fori_loop(0,30,lambda i,s: (lambda x,r,p: (lambda Ap: (lambda a: (lambda r2: (x+a*p, r2, r2+(r2@r2)/(r@r)*p))(r-a*Ap))((r@r)/(p@Ap)))(A@p))(*s),(jnp.zeros(300,jnp.float32),b,b))[0],A,b)
g=fl(128,128)
jrow("heat 50",lambda g: ko.fori_loop(0,50,lambda i,u: u+0.1*(ko.roll(u,1,axis=0)+ko.roll(u,-1,axis=0)+ko.roll(u,1,axis=1)+ko.roll(u,-1,axis=1)-4*u),g), lambda g: jax.lax.fori_loop(0,50,lambda i,u: u+0.1*(jnp.roll(u,1,axis=0)+jnp.roll(u,-1,axis=0)+jnp.roll(u,1,axis=1)+jnp.roll(u,-1,axis=1)-4*u),g),g)
p=fl(500,3)
jrow("pairwise force",lambda p: ko.sum((p[:,None]-p[None])/(ko.sum((p[:,None]-p[None])**2,axis=-1,keepdims=True)+0.1)**1.5,axis=1), lambda p: jnp.sum((p[:,None]-p[None])/(jnp.sum((p[:,None]-p[None])**2,axis=-1,keepdims=True)+0.1)**1.5,axis=1),p)
X=fl(2000,16); C=fl(10,16)
jrow("kmeans step",lambda X,C: (lambda l: ko.segment_sum(X,l,num_segments=10)/ko.maximum(ko.segment_sum(ko.ones(2000),l,num_segments=10),1)[:,None])(ko.argmin(ko.sum((X[:,None]-C[None])**2,axis=2),axis=1)), lambda X,C: (lambda l: jax.ops.segment_sum(X,l,num_segments=10)/jnp.maximum(jax.ops.segment_sum(jnp.ones(2000,jnp.float32),l,num_segments=10),1)[:,None])(jnp.argmin(jnp.sum((X[:,None]-C[None])**2,axis=2),axis=1)),X,C)
img=fl(256,256)
jrow("sobel",lambda a:(lambda p:(lambda gx,gy: ko.sqrt(gx*gx+gy*gy))(p[:-2,2:]+2*p[1:-1,2:]+p[2:,2:]-p[:-2,:-2]-2*p[1:-1,:-2]-p[2:,:-2],p[2:,:-2]+2*p[2:,1:-1]+p[2:,2:]-p[:-2,:-2]-2*p[:-2,1:-1]-p[:-2,2:]))(ko.pad(a,1,mode="edge")),lambda a:(lambda p:(lambda gx,gy: jnp.sqrt(gx*gx+gy*gy))(p[:-2,2:]+2*p[1:-1,2:]+p[2:,2:]-p[:-2,:-2]-2*p[1:-1,:-2]-p[2:,:-2],p[2:,:-2]+2*p[2:,1:-1]+p[2:,2:]-p[:-2,:-2]-2*p[:-2,1:-1]-p[:-2,2:]))(jnp.pad(a,1,mode="edge")),img)
jrow("viterbi",lambda e,t: ko.scan(lambda s,ee:(ko.max(s[:,None]+t,axis=0)+ee,ko.argmax(s[:,None]+t,axis=0)),ko.zeros(32),e)[1], lambda e,t: jax.lax.scan(lambda s,ee:(jnp.max(s[:,None]+t,axis=0)+ee,jnp.argmax(s[:,None]+t,axis=0)),jnp.zeros(32,jnp.float32),e)[1],fl(300,32),fl(32,32))
jrow("rolling mean",lambda v: (lambda c: (c[20:]-c[:-20])/20)(ko.cumulative_sum(v)),lambda v:(lambda c:(c[20:]-c[:-20])/20)(jnp.cumsum(v)),fl(100000))
jrow("softmax xent",lambda l,y: -ko.mean(ko.take_along_axis(ko.log_softmax(l,axis=1),y[:,None],axis=1)),lambda l,y:-jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(l,axis=1),y[:,None],axis=1)),fl(512,1000),R.integers(0,1000,512).astype(np.int32))
jrow("batchnorm NCHW",lambda x: (x-ko.mean(x,axis=(0,2,3),keepdims=True))/ko.sqrt(ko.var(x,axis=(0,2,3),keepdims=True)+1e-5),lambda x:(x-jnp.mean(x,axis=(0,2,3),keepdims=True))/jnp.sqrt(jnp.var(x,axis=(0,2,3),keepdims=True)+1e-5),fl(16,32,14,14))
jrow("groupnorm",lambda x: (lambda z: ko.reshape((z-ko.mean(z,axis=(2,3,4),keepdims=True))/ko.sqrt(ko.var(z,axis=(2,3,4),keepdims=True)+1e-5),(16,32,14,14)))(ko.reshape(x,(16,4,8,14,14))),lambda x:(lambda z: jnp.reshape((z-jnp.mean(z,axis=(2,3,4),keepdims=True))/jnp.sqrt(jnp.var(z,axis=(2,3,4),keepdims=True)+1e-5),(16,32,14,14)))(jnp.reshape(x,(16,4,8,14,14))),fl(16,32,14,14))
